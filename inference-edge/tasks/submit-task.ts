import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import { requireModel } from '../../domain/inference/allowed-models.ts'
import { type Allowed, findBudgets, recheckKey } from '../../domain/inference/check-key-and-rate.ts'
import { requireConfirmed } from '../../domain/inference/require-confirmed.ts'
import { settleRequest } from '../../domain/inference/settle-request.ts'
import type { HoldBudgets } from '../../domain/ledger/hold.ts'
import { discardInputs } from '../../domain/media/discard-files.ts'
import { carriesData, hostInputs } from '../../domain/media/host-inputs.ts'
import { presentTask } from '../../domain/tasks/present-task.ts'
import { submitTask as submit, taskIdOf } from '../../domain/tasks/submit-task.ts'
import { routeOf, type Task } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { mustUseOwn } from '../pipeline/list-attempts.ts'
import type { PaidRun, RunState } from '../pipeline/paid-kind.ts'
import type { Submission } from './read-submission.ts'

/** A submitted task. */
export interface Submitted {
  task: Task
  submission: Submission
  /** Stores the response under the `Idempotency-Key`. */
  keep: KeepAnswer | undefined
}

/** Responds to a request whose task is submitted. */
export type AnswerSubmit = (edge: Edge, ctx: EdgeContext, submitted: Submitted) => Promise<void>

/** An admitted submit. */
interface AdmittedSubmit extends Pick<RunState, 'client' | 'keep'> {
  submission: Submission
  allowed: Allowed
  answer: AnswerSubmit
}

/**
 * Returns the steps of a submit: `attempt` prepares the task, `settle` submits it and holds its price. The worker then
 * completes the task. A refused submit is logged.
 */
export function submitTask(
  edge: Edge,
  ctx: EdgeContext,
  { submission, allowed, client, keep, answer }: AdmittedSubmit,
): PaidRun {
  const { record } = ctx.state
  const { key } = allowed
  const { kind, model, parameters, price, callbackUrl, metadata } = submission
  const { entry } = model
  record.route = routeOf(kind)
  record.model = entry.model
  record.vendor = entry.provider
  record.metadata = metadata
  const name = { accountId: key.accountId, id: taskIdOf(record.requestId) }
  const state: RunState = { record, client, keep, hasReachedClient: false, isSettled: false }
  let ownOnly = false
  let budgets: HoldBudgets
  let hosted: Record<string, unknown> = parameters
  let task!: Task
  return {
    state,
    async attempt() {
      requireModel(edge.inference, key, entry)
      ownOnly = await mustUseOwn(edge, { key, model })
      if (!ownOnly) requirePayable(edge, key, submission)
      const owner = { accountId: key.accountId, prolongs: key.hasCredits, taskId: name.id }
      hosted = await hostInputs(edge.media, parameters, owner)
      // Storing the inputs can take seconds, in which the key or the budgets may have changed.
      await recheckKey(edge.inference, allowed)
      budgets = await findBudgets(edge.inference, { allowed, labels: record })
    },
    async settle() {
      try {
        task = await submit(edge.inference, {
          ...name,
          requestId: record.requestId,
          apiKeyId: key.keyId,
          kind,
          model: entry.model,
          vendor: entry.provider,
          parameters: hosted,
          budgets,
          ownOnly,
          price,
          callbackUrl,
          metadata,
          clientAddress: record.clientAddress,
          createdAt: record.startedAt,
          timeLimitMs: entry.generation.time_limit_ms,
        })
        state.isSettled = true
      } catch (error) {
        // The task may exist after any other failure.
        state.isSettled = !(error instanceof Problem) || error.status >= 500
        throw error
      }
    },
    respond: () => answer(edge, ctx, { task, submission, keep }),
    async settleFailed() {
      const inputs = { accountId: name.accountId, taskId: name.id, since: record.startedAt }
      if (carriesData(parameters)) await discardInputs(edge.media, inputs)
      const refused = { allowed, reservation: undefined, price: undefined, isDelivered: false }
      await settleRequest(edge.inference, record, refused)
    },
  }
}

/**
 * Checks that an account may use credits, before the files of its request are stored. Throws `email_not_confirmed`, and
 * `insufficient_credits` for an account without credits.
 */
function requirePayable(edge: Edge, key: Allowed['key'], { price, parameters }: Submission): void {
  requireConfirmed(edge.config, key)
  if (!key.hasCredits && price.amountNanos > 0n && carriesData(parameters))
    throw new Problem('insufficient_credits', { shouldRetry: false })
}

/** Responds with the task. */
export function answerTask(_edge: Edge, ctx: EdgeContext, { task, keep }: Submitted): Promise<void> {
  return answerJson(ctx, { body: presentTask(task), keep })
}

/** Responds with JSON, after it is stored under the `Idempotency-Key`. */
export async function answerJson(
  ctx: EdgeContext,
  { body: value, keep }: { body: object; keep: KeepAnswer | undefined },
): Promise<void> {
  const body = Buffer.from(JSON.stringify(value))
  const contentType = 'application/json; charset=utf-8'
  const kept = await keep?.({ status: 200, contentType, body })
  ctx.status = 200
  ctx.set('content-type', contentType)
  ctx.body = kept?.body ? Buffer.from(kept.body) : body
}
