import { forgetOldKeys } from '../../domain/idempotency/end-claim.ts'
import type { Job } from '../job.ts'

/** Answers kept under an `Idempotency-Key` go after a day. */
export const forgetIdempotencyKeys: Job = {
  name: 'forget-idempotency-keys',
  everyMs: 600_000,
  async run(context) {
    const count = await forgetOldKeys(context)
    if (count > 0) context.log.info({ count }, 'old idempotency keys were forgotten')
  },
}
