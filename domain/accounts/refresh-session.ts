import { RefreshTokenEntity } from '../../schema/entities/refresh-tokens.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../management-context.ts'
import { rememberNetwork } from './known-networks.ts'
import { endLogIn, lockFamily } from './sessions/end-log-in.ts'
import { issueSession } from './sessions/issue-session.ts'
import { hashRefreshToken } from './sessions/refresh-token-text.ts'
import type { Session } from './sessions/session.ts'

/**
 * Exchanges a refresh token for a new session of the same log-in. Each token is good once: a second use means that
 * somebody else has it too, and ends the log-in for both. Throws `token_expired`.
 */
export async function refreshSession(
  context: ManagementContext,
  { refreshToken, address }: { refreshToken: string; address: string },
): Promise<Session> {
  const { em, clock, config } = context
  const now = new Date(clock.now())
  const token = await em.findOne(RefreshTokenEntity, { tokenHash: hashRefreshToken(config, refreshToken) })
  if (!token || token.expiresAt <= now) throw new Problem('token_expired')

  const { id, familyId, userId, accountId } = token
  const session = await em.transactional(async em => {
    await lockFamily(em, familyId)
    const unused = { id, usedAt: null, revokedAt: null }
    if ((await em.nativeUpdate(RefreshTokenEntity, unused, { usedAt: now })) === 0) return undefined
    return issueSession({ ...context, em }, { id: userId, accountId, familyId })
  })
  if (session) {
    await rememberNetwork(context, { userId, address })
    return session
  }
  await endLogIn(context, { familyId })
  throw new Problem('token_expired')
}
