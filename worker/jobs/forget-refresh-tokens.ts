import { forgetRefreshTokens as forget } from '../../domain/accounts/sessions.ts'
import type { Job } from '../job.ts'

/** Refresh tokens go a week after they ended. */
export const forgetRefreshTokens: Job = {
  name: 'forget-refresh-tokens',
  everyMs: 3_600_000,
  async run(context) {
    const count = await forget(context)
    if (count > 0) context.log.info({ count }, 'ended refresh tokens were forgotten')
  },
}
