import { createHash, randomBytes } from 'node:crypto'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { readSignedId, signId } from '../accounts/mailed-links.ts'
import type { Context } from '../context.ts'

/** The step that a challenge continues: a log-in after the password or with a passkey alone, a confirmation, or a new passkey. */
export type ChallengePurpose = 'log_in' | 'passkey_log_in' | 'confirm' | 'add_passkey'

/** The time for which a challenge is valid, in milliseconds. */
export const challengeLifetimeMs = 5 * 60_000

/** A stored challenge. */
export interface Challenge {
  id: string
  purpose: ChallengePurpose
  /** Null for a log-in with a passkey alone. */
  userId: string | null
  /** The session that began the challenge; null for log-ins. */
  familyId: string | null
  passwordDigest: Uint8Array | null
  /** The random value that an authenticator signs, in base64url. */
  webauthnChallenge: string
}

/** A challenge that was begun, and the token with which its client continues it. */
export interface OpenedChallenge {
  token: string
  expiresAt: Date
  webauthnChallenge: string
}

type ChallengeContext = Pick<Context, 'clock' | 'config' | 'ids'>

/** Stores a new challenge. `passwordHash` is the user's current one, for the second step of a log-in. */
export async function openChallenge(
  sql: Sql | SqlTransaction,
  { clock, config, ids }: ChallengeContext,
  challenge: {
    purpose: ChallengePurpose
    userId?: string | undefined
    familyId?: string | undefined
    passwordHash?: string | undefined
  },
): Promise<OpenedChallenge> {
  const { purpose, userId = null, familyId = null, passwordHash } = challenge
  const [id, now] = [ids.uuid(), clock.now()]
  const expiresAt = new Date(now + challengeLifetimeMs)
  const webauthnChallenge = randomBytes(32).toString('base64url')
  const digest = passwordHash === undefined ? null : digestOf(passwordHash)
  await sql`
    insert into sign_in_challenges (id, purpose, user_id, family_id, password_digest, webauthn_challenge, created_at,
      expires_at)
    values (${id}, ${purpose}, ${userId}, ${familyId}, ${digest}, ${webauthnChallenge}, ${new Date(now)}, ${expiresAt})`
  return { token: signId(config.keyPepper, { id, label: labelOf(purpose) }), expiresAt, webauthnChallenge }
}

/**
 * Returns the challenge of a token for one of the purposes. Throws `challenge_refused` if the token is forged or for
 * another purpose, or if the challenge was used or has expired.
 */
export async function readChallenge(
  { sql, clock, config }: Pick<Context, 'sql' | 'clock' | 'config'>,
  { token, purposes }: { token: string; purposes: readonly ChallengePurpose[] },
): Promise<Challenge> {
  const id = purposes
    .map(purpose => readSignedId(config, { token, label: labelOf(purpose) }))
    .find(found => found !== undefined)
  const [challenge] = id
    ? await sql<Challenge[]>`
        select id, purpose, user_id as "userId", family_id as "familyId", password_digest as "passwordDigest",
          webauthn_challenge as "webauthnChallenge"
        from sign_in_challenges
        where id = ${id} and purpose in ${sql(purposes)} and expires_at > ${new Date(clock.now())}`
    : []
  if (!challenge) throw refusal()
  return challenge
}

/** Uses up a challenge. Throws `challenge_refused` if it was used already. */
export async function useChallenge(sql: SqlTransaction, { id }: Pick<Challenge, 'id'>): Promise<void> {
  const used = await sql`delete from sign_in_challenges where id = ${id}`
  if (used.count === 0) throw refusal()
}

/** Throws `challenge_refused` if the user's password has changed since the challenge began. */
export function requireSamePassword({ passwordDigest }: Challenge, passwordHash: string | null): void {
  if (passwordDigest && !digestOf(passwordHash ?? '').equals(passwordDigest)) throw refusal()
}

/** Throws `challenge_refused` unless the user began the challenge in this session. */
export function requireOwnChallenge(
  challenge: Challenge,
  session: { userId: string; familyId: string },
): void {
  if (challenge.userId !== session.userId || challenge.familyId !== session.familyId) throw refusal()
}

/** Deletes expired challenges. Resolves to how many. */
export async function forgetChallenges({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const deleted = await sql`delete from sign_in_challenges where expires_at < ${new Date(clock.now())}`
  return deleted.count
}

function refusal(): Problem {
  return new Problem('challenge_refused', { param: 'challengeToken' })
}

function labelOf(purpose: ChallengePurpose): string {
  return `challenge ${purpose}`
}

function digestOf(passwordHash: string): Buffer {
  return createHash('sha256').update(passwordHash).digest()
}
