import type { Job } from '../job.ts'
import { forgetIdempotencyKeys } from './forget-idempotency-keys.ts'
import { forgetRefreshTokens } from './forget-refresh-tokens.ts'
import { keepLogPartitions } from './keep-log-partitions.ts'
import { lapseDeadHolds } from './lapse-dead-holds.ts'

/** Every job of the worker: a file each, listed here and nowhere else. */
export const jobs: readonly Job[] = [
  lapseDeadHolds,
  keepLogPartitions,
  forgetIdempotencyKeys,
  forgetRefreshTokens,
]
