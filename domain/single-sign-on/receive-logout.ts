import { type JWTPayload, jwtVerify } from 'jose'
import { isRecord } from '../../platform/checks.ts'
import type { Issuer } from '../../platform/config/issuers.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { endListed } from '../accounts/sessions.ts'
import { beginAction, endAction } from '../audit/record-action.ts'
import type { SignInContext } from './begin-sign-in.ts'
import { asIssuerProblem } from './issuer-faults.ts'
import { lockPerson } from './lock-person.ts'
import type { Discovered } from './open-issuers.ts'
import { readIssuerId } from './read-person.ts'
import { hashSecret } from './sign-in-secrets.ts'

/** Public-key signatures only: anyone can create an unsigned token, or one with a shared secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** The event that a logout token must contain (OpenID Connect Back-Channel Logout, 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** Maximum age of a logout token, and maximum difference of the clocks, in seconds. */
const maxAgeSeconds = 300
const clockToleranceSeconds = 60

/** Maximum length of a logout token, in characters. */
const maxTokenLength = 16_384

/** The scope of a logout token: a session at the issuer, or all sessions of a person. */
interface Logout {
  tokenId: string
  subject: string | null
  issuerSession: string | null
}

interface EndedSession {
  id: string
  accountId: string
  userId: string
}

/**
 * Receives a logout token of an issuer, and ends the sessions that the identity or its session at the issuer began.
 * Sign-ins in progress that are older begin no session. Resolves to the number of sessions that were ended. Throws
 * `issuer_not_found`, `logout_token_refused` if the token is invalid or was used before, `issuer_unavailable`.
 */
export async function receiveLogout(
  context: SignInContext,
  args: { issuer: string; token: string; address: string; requestId: string },
): Promise<number> {
  const issuer = context.issuers.find(args.issuer)
  const { sql, clock, issuers } = context
  const { keys } = await issuers.discover(issuer)
  const logout = await verifyLogout(issuer, { token: args.token, keys, now: new Date(clock.now()) })
  return sql.begin(async transaction => {
    const { tokenId, subject, issuerSession } = logout
    const now = new Date(clock.now())
    await lockPerson(transaction, { issuer: issuer.url, subject, issuerSession })
    const received = await transaction`
      insert into issuer_logouts (issuer, token_hash, subject, issuer_session, received_at)
      values (${issuer.url}, ${hashSecret(tokenId)}, ${subject}, ${issuerSession}, ${now})
      on conflict do nothing`
    if (received.count === 0) throw new Problem('logout_token_refused', { internal: 'The token was used' })
    const list = () => findSessions(transaction, issuer, logout)
    const sessions = await endListed(transaction, { list, now })
    for (const session of sessions) await recordLogout({ ...context, sql: transaction }, session, args)
    return sessions.length
  })
}

/** Returns the log-out of a valid token. Every other token is refused with the reason in the log. */
async function verifyLogout(
  { url, clientId }: Issuer,
  { token, keys, now }: { token: string; keys: Discovered['keys']; now: Date },
): Promise<Logout> {
  if (token.length > maxTokenLength) throw new Problem('logout_token_refused', { internal: 'too long' })
  let payload: JWTPayload
  try {
    const verified = await jwtVerify(token, keys, {
      algorithms,
      issuer: url,
      audience: clientId,
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: clockToleranceSeconds,
      currentDate: now,
    })
    payload = verified.payload
    const { typ = 'JWT' } = verified.protectedHeader
    if (!/^(application\/)?(logout\+jwt|jwt)$/i.test(typ)) throw refused('typ')
  } catch (error) {
    const problem = asIssuerProblem(error)
    throw problem.errorName === 'issuer_unavailable'
      ? problem
      : refused(problem.details.internal ?? 'invalid')
  }
  return readLogout(payload)
}

function readLogout({ jti, sub, sid, events, nonce }: JWTPayload): Logout {
  if (!isRecord(events) || !isRecord(events[logoutEvent])) throw refused('events')
  if (nonce !== undefined) throw refused('nonce')
  if (typeof jti !== 'string' || jti === '') throw refused('jti')
  const [subject, issuerSession] = [readIssuerId(sub), readIssuerId(sid)]
  const isInvalid = (sub !== undefined && subject === null) || (sid !== undefined && issuerSession === null)
  if (isInvalid || (subject === null && issuerSession === null)) throw refused('sub or sid')
  return { tokenId: jti, subject, issuerSession }
}

function refused(internal: string): Problem {
  return new Problem('logout_token_refused', { internal })
}

/**
 * Finds the sessions that a log-out ends. A log-out of a session at the issuer also ends sessions of the person whose
 * session at the issuer is unknown.
 */
function findSessions(
  sql: SqlTransaction,
  { url }: Issuer,
  { subject, issuerSession }: Logout,
): Promise<EndedSession[]> {
  return sql`
    select s.family_id as id, max(t.account_id::text) as "accountId", max(t.user_id::text) as "userId"
    from identities i
    join identity_sessions s on s.identity_id = i.id
    join refresh_tokens t on t.family_id = s.family_id and t.revoked_at is null
    where i.issuer = ${url} and (${subject}::text is null or i.subject = ${subject})
      and (${issuerSession}::text is null or s.issuer_session = ${issuerSession}
        or (s.issuer_session is null and ${subject}::text is not null))
    group by s.family_id order by s.family_id`
}

/** Adds the end of a session to the audit log of its account. */
async function recordLogout(
  context: Pick<SignInContext, 'ids'> & { sql: SqlTransaction },
  { id, accountId, userId }: EndedSession,
  { address, requestId }: { address: string; requestId: string },
): Promise<void> {
  const [actor, target] = [{ kind: 'session', id: userId } as const, { type: 'ActiveSession', id }]
  const action = { accountId, name: 'logOutAtIssuer', actor, target, address, requestId }
  await endAction(context, await beginAction(context, action))
}
