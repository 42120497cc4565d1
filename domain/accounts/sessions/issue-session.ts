import { RefreshTokenEntity } from '../../../schema/entities/refresh-tokens.ts'
import type { ManagementContext } from '../../management-context.ts'
import { hashRefreshToken, mintRefreshToken } from './refresh-token-text.ts'
import type { Session } from './session.ts'
import { signSessionToken } from './sign-session-token.ts'

/** Whose session it is. `familyId` is the log-in that is carried on; a new one begins where it is left out. */
export interface SessionOwner {
  id: string
  accountId: string
  familyId?: string
}

/** Issues a session token and the refresh token that follows it. */
export async function issueSession(
  context: ManagementContext,
  { id: userId, accountId, familyId = context.ids.uuid() }: SessionOwner,
): Promise<Session> {
  const { em, clock, config, ids } = context
  const refreshToken = mintRefreshToken(ids)
  const now = clock.now()
  await em.insert(RefreshTokenEntity, {
    id: ids.uuid(),
    familyId,
    accountId,
    userId,
    tokenHash: hashRefreshToken(config, refreshToken),
    createdAt: new Date(now),
    expiresAt: new Date(now + config.refreshTokenDays * 86_400_000),
  })
  const token = await signSessionToken(context, { accountId, userId, familyId })
  return { accountId, refreshToken, ...token }
}
