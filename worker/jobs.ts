import { forgetRefreshTokens as forgetTokens } from '../domain/accounts/sessions.ts'
import type { Context } from '../domain/context.ts'
import { forgetOldKeys } from '../domain/idempotency/end-claim.ts'
import { lapseHolds } from '../domain/ledger/process-row.ts'
import { keepPartitions } from '../domain/logs/keep-partitions.ts'

/** Work that repeats. Several workers may do it at the same time: what it calls in `domain/` allows that. */
export interface Job {
  name: string
  everyMs: number
  run(context: Context): Promise<void>
}

/** Releases money that a dead process held, within seconds. */
const lapseDeadHolds: Job = {
  name: 'lapse-dead-holds',
  everyMs: 2000,
  async run(context) {
    const count = await lapseHolds(context)
    if (count > 0) context.log.warn({ count }, 'holds of a dead process were given back')
  },
}

/** Creates the partitions of the days ahead, and drops those older than two months. */
const keepLogPartitions: Job = {
  name: 'keep-log-partitions',
  everyMs: 3_600_000,
  async run(context) {
    const dropped = await keepPartitions(context)
    if (dropped.length > 0) context.log.info({ dropped }, 'old log partitions were dropped')
  },
}

/** Deletes answers kept under an `Idempotency-Key` after a day. */
const forgetIdempotencyKeys: Job = {
  name: 'forget-idempotency-keys',
  everyMs: 600_000,
  async run(context) {
    const count = await forgetOldKeys(context)
    if (count > 0) context.log.info({ count }, 'old idempotency keys were forgotten')
  },
}

/** Deletes refresh tokens a week after they expired. */
const forgetRefreshTokens: Job = {
  name: 'forget-refresh-tokens',
  everyMs: 3_600_000,
  async run(context) {
    const count = await forgetTokens(context)
    if (count > 0) context.log.info({ count }, 'ended refresh tokens were forgotten')
  },
}

/** Every job of the worker. */
export const jobs: readonly Job[] = [
  lapseDeadHolds,
  keepLogPartitions,
  forgetIdempotencyKeys,
  forgetRefreshTokens,
]
