import { forgetRefreshTokens as forget } from '../domain/accounts/sessions.ts'
import type { Context } from '../domain/context.ts'
import { forgetOldKeys } from '../domain/idempotency/end-claim.ts'
import { lapseHolds } from '../domain/ledger/lapse-holds.ts'
import { keepPartitions } from '../domain/logs/keep-partitions.ts'

/** Work that is due again and again. Several workers may do it at once: the verb it calls allows that. */
export interface Job {
  /** An order, as its file is called. */
  name: string
  everyMs: number
  run(context: Context): Promise<void>
}

/** Money held by a process that died is free again within seconds. */
const lapseDeadHolds: Job = {
  name: 'lapse-dead-holds',
  everyMs: 2000,
  async run(context) {
    const count = await lapseHolds(context)
    if (count > 0) context.log.warn({ count }, 'holds of a dead process were given back')
  },
}

/** Days ahead get their partition, and days older than two months go. */
const keepLogPartitions: Job = {
  name: 'keep-log-partitions',
  everyMs: 3_600_000,
  async run(context) {
    const dropped = await keepPartitions(context)
    if (dropped.length > 0) context.log.info({ dropped }, 'old log partitions were dropped')
  },
}

/** Answers kept under an `Idempotency-Key` go after a day. */
const forgetIdempotencyKeys: Job = {
  name: 'forget-idempotency-keys',
  everyMs: 600_000,
  async run(context) {
    const count = await forgetOldKeys(context)
    if (count > 0) context.log.info({ count }, 'old idempotency keys were forgotten')
  },
}

/** Refresh tokens go a week after they ended. */
export const forgetRefreshTokens: Job = {
  name: 'forget-refresh-tokens',
  everyMs: 3_600_000,
  async run(context) {
    const count = await forget(context)
    if (count > 0) context.log.info({ count }, 'ended refresh tokens were forgotten')
  },
}

/** Every job of the worker: a file each, listed here and nowhere else. */
export const jobs: readonly Job[] = [
  lapseDeadHolds,
  keepLogPartitions,
  forgetIdempotencyKeys,
  forgetRefreshTokens,
]
