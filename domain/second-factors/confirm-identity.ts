import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { type AccountsContext, limitFactorTries, limitTries } from '../accounts/limit-tries.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import { maxPasswordLength } from '../accounts/open-account.ts'
import { hasSecondFactor } from '../accounts/session-tokens.ts'
import { confirmSession } from '../accounts/sessions.ts'
import {
  type Challenge,
  openChallenge,
  readChallenge,
  requireOwnChallenge,
  useChallenge,
} from './challenges.ts'
import { checkProof, isGiven, type Proof } from './check-proof.ts'
import { type FactorOwner, lockUser } from './factor-records.ts'
import { type PresentedChallenge, presentChallenge } from './present-challenge.ts'

/** The user and the session that are confirmed. */
export interface OwnSession {
  userId: string
  familyId: string
}

/** Begins a confirmation with a passkey. Throws `forbidden` if users log in at a foreign issuer. */
export async function startConfirmation(
  context: AccountsContext,
  session: OwnSession,
): Promise<PresentedChallenge> {
  requireOwnLogIn(context.config)
  const challenge = await openChallenge(context.sql, context, { purpose: 'confirm', ...session })
  return presentChallenge(context, { challenge, userId: session.userId })
}

/**
 * Confirms the identity of a session's user now. A user without a second factor sends the password; a user with one also
 * sends a proof, or only a passkey whose authenticator verifies the user. A user without a password has no other means
 * than such a passkey, and otherwise signs in again. Failed tries count as in a log-in. Throws `password_not_set`, `wrong_password`, `wrong_second_factor`, `challenge_refused`, `validation_failed` if something is missing,
 * `too_many_tries`, `overloaded`, and `forbidden` if users log in at a foreign issuer.
 */
export async function confirmIdentity(
  context: AccountsContext,
  args: OwnSession & {
    password?: string | null | undefined
    proof: Proof
    challengeToken?: string | null | undefined
    address: string
  },
): Promise<void> {
  requireOwnLogIn(context.config)
  const { sql } = context
  const { userId, password, proof, address } = args
  const user = await readUser(sql, userId)
  const isPasswordSent = password !== undefined && password !== null
  const hasProof = isGiven(proof)
  const needsPassword = () => {
    if (user.passwordHash === null) throw new Problem('password_not_set')
    if (!isPasswordSent) refuseParam('password', 'must be sent')
  }
  if (user.hasFactor && user.passwordHash !== null && !hasProof)
    refuseParam('code', 'must be sent, or recoveryCode, or passkey: the user has a second factor')
  if (!user.hasFactor || (proof.passkey ?? null) === null) needsPassword()
  const challenge = await ownChallenge(context, args)
  if (isPasswordSent) await checkPassword(context, { user, password, address })
  if (!user.hasFactor) return sql.begin(transaction => confirm(transaction, context, { user, ...args }))

  await limitFactorTries(context, { userId, email: user.email, address }, () =>
    sql.begin(async transaction => {
      await confirm(transaction, context, { user, ...args })
      if (challenge) await useChallenge(transaction, challenge)
      const { isUserVerified } = await checkProof(transaction, context, { userId, proof, challenge, address })
      if (!isUserVerified) needsPassword()
    }),
  )
}

/** Marks the session as confirmed. Throws `wrong_password` if the password has changed since it was checked. */
async function confirm(
  sql: SqlTransaction,
  { clock }: AccountsContext,
  { user, userId, familyId }: OwnSession & { user: KnownUser },
): Promise<void> {
  const { passwordHash } = await lockUser(sql, userId)
  if (passwordHash !== user.passwordHash) throw new Problem('wrong_password', { param: 'password' })
  await confirmSession(sql, { familyId, now: new Date(clock.now()) })
}

interface KnownUser extends FactorOwner {
  hasFactor: boolean
}

async function readUser(sql: Sql, userId: string): Promise<KnownUser> {
  const [user] = await sql<KnownUser[]>`
    select email, email_confirmed_at as "emailConfirmedAt", password_hash as "passwordHash",
      ${hasSecondFactor(sql, userId)} as "hasFactor"
    from users where id = ${userId}`
  if (!user) throw new Problem('not_found')
  return user
}

/** Returns the challenge that the session began, if a token is sent. */
async function ownChallenge(
  context: AccountsContext,
  { challengeToken, ...session }: OwnSession & { challengeToken?: string | null | undefined },
): Promise<Challenge | undefined> {
  if (challengeToken === undefined || challengeToken === null) return undefined
  const challenge = await readChallenge(context, { token: challengeToken, purposes: ['confirm'] })
  requireOwnChallenge(challenge, session)
  return challenge
}

async function checkPassword(
  context: AccountsContext,
  { user, password, address }: { user: KnownUser; password: string; address: string },
): Promise<void> {
  await limitTries(context, { email: user.email, address }, async () => {
    const isRight =
      password.length <= maxPasswordLength &&
      (await context.passwords.check(password, user.passwordHash ?? undefined, address))
    if (!isRight) throw new Problem('wrong_password', { param: 'password' })
    return user
  })
}
