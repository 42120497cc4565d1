import {
  type CredentialRow,
  readCredentialRow,
  type UsableCredential,
  usableCredential,
} from '../../domain/byok/usable-credentials.ts'
import { answerTimeoutMs } from '../../domain/tasks/task.ts'
import { withTimeout } from '../../platform/clock.ts'
import { Problem } from '../../schema/errors.ts'
import { type Attempt, orderAttempts } from '../../upstreams/attempts.ts'
import { ownTarget, type Target } from '../../upstreams/targets.ts'
import type { TaskRun } from './task-run.ts'

/** An attempt to submit a task. */
export type TaskAttempt = Attempt<TaskRun['entry'], UsableCredential>

/**
 * Returns the attempts to submit a task, in order (`upstreams/attempts.ts`). Only own credentials are used if one said
 * `always_use` when the task was submitted. If a vendor may already have the task, the credential that it has it under
 * comes first. Throws `byok_disabled`, `upstream_auth`, `unavailable`.
 */
export async function listAttempts(run: TaskRun): Promise<TaskAttempt[]> {
  const { services, task, entry, vendor } = run
  const { credentials } = services.upstreams
  const { config } = services.context
  const own = await services.byok.find(task.accountId, task.byokRevision, task.vendor)
  const { attempts } = orderAttempts(
    { config, credentials },
    { entry, vendor },
    { own, accountId: task.accountId, isOwnOnly: task.ownOnly },
  )
  const isFirst = ({ target }: TaskAttempt) =>
    (target.byokId ?? null) === task.byokId && (target.credentialName ?? null) === task.credentialName
  if (task.status !== 'submitting') return attempts
  return [...attempts.filter(isFirst), ...attempts.filter(attempt => !isFirst(attempt))]
}

/**
 * The credential with which the task was submitted, also where it is disabled now, or says something else. Throws
 * `credential_not_found` where it was deleted, `upstream_auth` where it cannot be opened, or is not configured any more.
 */
export async function boundTarget(run: TaskRun): Promise<Target> {
  const { services, task, entry, vendor } = run
  const { context } = services
  if (task.byokId === null) {
    const name = task.credentialName ?? 'default'
    const target = services.upstreams.credentials.find({ entry, vendor }, name)
    if (!target) throw new Problem('upstream_auth', { internal: `no credential for ${task.vendor}` })
    return target
  }
  const reading = readCredentialRow(context.sql, { accountId: task.accountId, id: task.byokId })
  const row = await withTimeout(answerTimeoutMs, reading)
  if (!row) throw new Problem('credential_not_found')
  const target = ownTarget(context.config, { entry, vendor }, openRow(run, row))
  if (!target) throw new Problem('upstream_auth', { internal: `no address of ${task.vendor}` })
  return target
}

function openRow({ services }: TaskRun, row: CredentialRow): UsableCredential {
  try {
    return usableCredential(services.context, row)
  } catch (cause) {
    throw new Problem('upstream_auth', { internal: 'a credential cannot be opened', cause })
  }
}
