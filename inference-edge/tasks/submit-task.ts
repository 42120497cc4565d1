import type { OnceRequest } from '../../domain/idempotency/run-once.ts'
import type { Allowed } from '../../domain/inference/check-key-and-rate.ts'
import { requireConfirmed } from '../../domain/inference/require-confirmed.ts'
import { settleRequest } from '../../domain/inference/settle-request.ts'
import { discardInputs } from '../../domain/media/discard-files.ts'
import { carriesData, hostInputs } from '../../domain/media/host-inputs.ts'
import { presentTask } from '../../domain/tasks/present-task.ts'
import { type NewTask, submitTask as submit, taskIdOf } from '../../domain/tasks/submit-task.ts'
import type { Task, TaskKind } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import { ownTarget, platformTarget } from '../../upstreams/targets.ts'
import { problemIn } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { answerOnce } from '../pipeline/claim-idempotency.ts'
import { checkRates } from '../pipeline/count-request.ts'
import { identifyCaller } from '../pipeline/identify-caller.ts'
import { type ParseBody, type Received, withBody } from '../pipeline/receive-body.ts'
import { readSubmission, type Submission } from './read-submission.ts'

/** As the log of requests names the routes. */
const routeNames: Record<TaskKind, string> = {
  video: 'videos.generations',
  speech: 'audio.speech',
  audio: 'audio.generations',
}

const soundElsewhere =
  'This address answers a task as JSON. POST /openai/v1/audio/speech answers the sound itself: use the base address {origin}/openai/v1.'

/**
 * `POST /v1/videos/generations`, `/v1/audio/speech`, `/v1/audio/generations`: submits a task and answers its id. Throws
 * `not_acceptable` for speech to a client that accepts no JSON: it would take the task for the sound.
 */
export function submitTask(kind: TaskKind) {
  return async (edge: Edge, ctx: EdgeContext): Promise<void> => {
    const check = () => {
      if (kind === 'speech' && !ctx.accepts('json'))
        throw new Problem('not_acceptable', { message: soundElsewhere })
    }
    await submitOnce(edge, ctx, {
      kind,
      check,
      answer: ({ task, keep }) => answerJson(ctx, { body: presentTask(task), keep }),
    })
  }
}

/** A task that was submitted, and what keeps its answer under an `Idempotency-Key`. */
export interface Submitted {
  task: Task
  submission: Submission
  keep: OnceRequest['keep'] | undefined
}

/** One way to submit tasks over HTTP. */
export interface SubmitForm {
  kind: TaskKind
  /** Types that the body may have, and how it is parsed; JSON unless given. */
  contentTypes?: RegExp
  parse?: ParseBody
  /** Refuses a request, once its key is known. */
  check?(): void
  /** The body of `POST /v1/videos/generations` and its like that this body stands for. */
  translate?(json: unknown): unknown
  answer(submitted: Submitted): Promise<void>
}

/**
 * Submits the task that a request asks for, and answers it. Price, hold, task and job commit together before the answer
 * leaves; with an `Idempotency-Key` that happens once.
 */
export async function submitOnce(edge: Edge, ctx: EdgeContext, form: SubmitForm): Promise<void> {
  const { inference, config } = edge
  const { kind, contentTypes, parse, check, translate = json => json, answer } = form
  const key = await identifyCaller(edge, ctx, { ...(contentTypes && { contentTypes }) })
  check?.()
  const serve = async ({ json, ...received }: Received) => {
    const body = translate(json)
    const submission = readSubmission({ models: inference.models, config }, { kind, json: body })
    await answerOnce(edge, ctx, { key, received }, async (keep, earlier) => {
      const allowed = await checkRates(edge, ctx, key, { tokens: 0, earlier })
      const task = await hold(edge, ctx, { allowed, submission })
      await answer({ task, submission, keep })
    })
  }
  await withBody(edge, ctx, key, serve, { ...(parse && { parse }) })
}

/** Answers JSON, kept before it leaves. */
export async function answerJson(
  ctx: EdgeContext,
  { body: value, keep }: { body: object; keep: OnceRequest['keep'] | undefined },
): Promise<void> {
  const body = Buffer.from(JSON.stringify(value))
  const contentType = 'application/json; charset=utf-8'
  const kept = await keep?.({ status: 200, contentType, body })
  ctx.status = 200
  ctx.set('content-type', contentType)
  ctx.body = kept?.body ? Buffer.from(kept.body) : body
}

/** What a submit was admitted with: its key, and what it asks for. */
interface Admitted {
  allowed: Allowed
  submission: Submission
}

/** Hosts what the request carries, and submits the task. Where it is refused, it is logged. */
async function hold(edge: Edge, ctx: EdgeContext, admitted: Admitted): Promise<Task> {
  const { record } = ctx.state
  const { allowed, submission } = admitted
  const { kind, model, price, callbackUrl } = submission
  const { entry } = model
  record.route = routeNames[kind]
  record.model = entry.model
  record.vendor = entry.provider
  const accountId = allowed.key.accountId
  const id = taskIdOf(record.requestId)
  const discard = async () => {
    const stored = { accountId, taskId: id, since: record.startedAt }
    if (carriesData(submission.parameters)) await discardInputs(edge.media, stored)
  }
  const prepared = await prepare(edge, { ...admitted, id }).catch(async error => {
    await discard()
    return refuse(edge, ctx, { allowed, error })
  })
  return submit(edge.inference, {
    accountId,
    id,
    requestId: record.requestId,
    apiKeyId: allowed.key.keyId,
    kind,
    model: entry.model,
    vendor: entry.provider,
    ...prepared,
    price,
    callbackUrl,
    clientAddress: record.clientAddress,
    createdAt: record.startedAt,
    timeLimitMs: entry.generation.time_limit_ms,
  }).catch(async error => {
    // Of another failure nobody knows whether the task is there.
    if (!(error instanceof Problem) || error.status >= 500) throw error
    await discard()
    return refuse(edge, ctx, { allowed, error })
  })
}

/** Whose credentials are used, and the parameters with addresses that a vendor can fetch. */
async function prepare(
  edge: Edge,
  { allowed: { key }, submission: { model, price, parameters }, id }: Admitted & { id: string },
): Promise<Pick<NewTask, 'ownOnly' | 'parameters'>> {
  const ownOnly = await mustUseOwnCredential(edge, { key, model })
  if (!ownOnly) requireConfirmed(edge.config, key)
  // What came within the request is stored: not for those who cannot pay.
  if (!ownOnly && !key.hasCredits && price.amountNanos > 0n && carriesData(parameters))
    throw new Problem('insufficient_credits', { shouldRetry: false })
  const hosted = await hostInputs(edge.media, parameters, {
    accountId: key.accountId,
    prolongs: key.hasCredits,
    taskId: id,
  })
  return { ownOnly, parameters: hosted }
}

/** Logs a submit of which there is no task, as what was admitted always is, and throws why. */
async function refuse(
  edge: Edge,
  ctx: EdgeContext,
  { allowed, error }: { allowed: Allowed; error: unknown },
): Promise<never> {
  const { record } = ctx.state
  const { status, code } = problemIn(error)
  record.status = status
  record.errorCode = code
  await settleRequest(edge.inference, record, {
    allowed,
    reservation: undefined,
    price: undefined,
    isDelivered: false,
  }).catch(failure =>
    edge.log.error(
      { err: failure, requestId: record.requestId },
      'a refused submit is logged later, if at all',
    ),
  )
  throw error
}

/**
 * Whether only credentials of the account's own may be used. Throws `byok_disabled` where these are disabled, and
 * `model_unavailable` if no credential reaches the model.
 */
async function mustUseOwnCredential(
  { inference, config }: Edge,
  { key, model: { entry } }: { key: Allowed['key']; model: Submission['model'] },
): Promise<boolean> {
  const route = { entry, vendor: inference.models.vendor(entry.provider) }
  const candidates = await inference.byok.find(key.accountId, key.byokRevision, entry.provider)
  const ownOnly = candidates.some(({ alwaysUse }) => alwaysUse)
  const hasOwn = candidates.some(candidate => ownTarget(config, route, candidate))
  if (hasOwn || (!ownOnly && platformTarget(config, route))) return ownOnly
  throw new Problem('model_unavailable', { param: 'model' })
}
