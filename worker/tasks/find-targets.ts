import { type Candidate, candidateOf, readCandidate } from '../../domain/byok/candidates.ts'
import { answerTimeoutMs } from '../../domain/tasks/task.ts'
import { withTimeout } from '../../platform/clock.ts'
import { Problem } from '../../schema/errors.ts'
import { ownTarget, platformTarget, type Target } from '../../upstreams/targets.ts'
import type { TaskRun } from './task-run.ts'

/** A credential with which a task may be submitted. */
export interface TaskTarget {
  target: Target
  /** The account's own; absent is the platform's. */
  candidate: Candidate | undefined
}

/**
 * The credentials with which a task may be submitted, in the order in which they are tried: the account's own, then the
 * platform's, unless one of the account's says `always_use`, or said so when the task was submitted. A task that a vendor
 * may have already under one of them begins with that one. Throws `byok_disabled`, `upstream_auth`, `unavailable`.
 */
export async function listTargets(run: TaskRun): Promise<TaskTarget[]> {
  const { services, task, entry, vendor } = run
  const { config } = services.context
  const candidates = await services.byok.find(task.accountId, task.byokRevision, task.vendor)
  const targets: TaskTarget[] = []
  for (const candidate of candidates) {
    const target = ownTarget(config, { entry, vendor }, candidate)
    if (target) targets.push({ target, candidate })
  }
  const isOwnOnly = task.ownOnly || candidates.some(({ alwaysUse }) => alwaysUse)
  const target = isOwnOnly ? undefined : platformTarget(config, { entry, vendor })
  if (target) targets.push({ target, candidate: undefined })
  const isFirst = ({ target }: TaskTarget) => (target.byokId ?? null) === task.byokId
  if (task.status !== 'submitting') return targets
  return [...targets.filter(isFirst), ...targets.filter(known => !isFirst(known))]
}

/**
 * The credential with which the task was submitted, also where it is disabled now, or says something else. Throws
 * `credential_not_found` where it was deleted, `upstream_auth` where it cannot be opened, or is not configured any more.
 */
export async function boundTarget(run: TaskRun): Promise<Target> {
  const { services, task, entry, vendor } = run
  const { context } = services
  if (task.byokId === null) {
    const target = platformTarget(context.config, { entry, vendor })
    if (!target) throw new Problem('upstream_auth', { internal: `no credential for ${task.vendor}` })
    return target
  }
  const reading = readCandidate(context.sql, { accountId: task.accountId, id: task.byokId })
  const row = await withTimeout(answerTimeoutMs, reading)
  if (!row) throw new Problem('credential_not_found')
  const target = ownTarget(context.config, { entry, vendor }, openCandidate(run, row))
  if (!target) throw new Problem('upstream_auth', { internal: `no address of ${task.vendor}` })
  return target
}

function openCandidate({ services }: TaskRun, row: Parameters<typeof candidateOf>[1]): Candidate {
  try {
    return candidateOf(services.context, row)
  } catch (cause) {
    throw new Problem('upstream_auth', { internal: 'a credential cannot be opened', cause })
  }
}
