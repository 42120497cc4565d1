import { networkOf } from '../../platform/http/addresses.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { type AccountsContext, limitFactorTries } from '../accounts/limit-tries.ts'
import { beginSession, checkCredentials, requireOwnLogIn } from '../accounts/log-in.ts'
import type { Session } from '../accounts/sessions.ts'
import { countTry } from '../accounts/try-counter.ts'
import {
  type Challenge,
  openChallenge,
  readChallenge,
  requireSamePassword,
  useChallenge,
} from './challenges.ts'
import { checkProof, isGiven, type Proof, wrong } from './check-proof.ts'
import { type FactorOwner, lockUser } from './factor-records.ts'
import { parseAssertion } from './parse-credential.ts'
import { findPasskey } from './passkeys.ts'
import { type PresentedChallenge, presentChallenge } from './present-challenge.ts'

/** The result of a log-in: a session, or the challenge of its second step. */
export type LogIn =
  | { session: Session; challenge?: undefined }
  | { session?: undefined; challenge: PresentedChallenge }

/**
 * Logs a user in by password. If the user has a second factor, this is the first step: it resolves to a challenge, which
 * is no session, and `completeLogIn` is the second step. Throws `validation_failed` for an e-mail address that is too
 * long, `wrong_credentials`, `too_many_tries`, `overloaded`, `account_suspended`.
 */
export async function logIn(
  context: AccountsContext,
  args: { email: string; password: string; address: string },
): Promise<LogIn> {
  const user = await checkCredentials(context, args)
  const { address } = args
  const session = await beginSession(context, user, { address, isFactorChecked: false })
  if (session) return { session }
  const { id: userId, passwordHash } = user
  const challenge = await openChallenge(context.sql, context, {
    purpose: 'log_in',
    userId,
    passwordHash: passwordHash ?? undefined,
  })
  return { challenge: await presentChallenge(context, { challenge, userId }) }
}

/** Maximum factor by which log-ins with passkeys that one network begins exceed `LOGIN_TRIES`. */
const widerBy = 10

/**
 * Begins a log-in with a passkey alone. Throws `too_many_tries`, `passkeys_unavailable`, and `forbidden` if users log in
 * at a foreign issuer.
 */
export async function startPasskeyLogIn(
  context: AccountsContext,
  { address }: { address: string },
): Promise<PresentedChallenge> {
  const { sql, tries, config } = context
  requireOwnLogIn(config)
  await countTry(tries, { name: `passkey-log-in:${networkOf(address)}`, max: config.loginTries * widerBy })
  const challenge = await openChallenge(sql, context, { purpose: 'passkey_log_in' })
  return presentChallenge(context, { challenge, userId: undefined })
}

/**
 * Completes a log-in with a proof of a second factor, and begins the session. A log-in with a passkey alone needs an
 * authenticator that verifies the user. Failed proofs count. Throws `challenge_refused`, `wrong_second_factor`,
 * `too_many_tries`, `validation_failed`, `account_suspended`.
 */
export async function completeLogIn(
  context: AccountsContext,
  args: { challengeToken: string; proof: Proof; address: string },
): Promise<Session> {
  const { sql } = context
  const { proof, address } = args
  const purposes = ['log_in', 'passkey_log_in'] as const
  const challenge = await readChallenge(context, { token: args.challengeToken, purposes })
  if (!isGiven(proof)) refuseParam('code', 'must be sent, or recoveryCode, or passkey')
  const userId = challenge.userId ?? (await userOfPasskey(context, proof, address))
  const email = await emailOf(sql, userId)
  const user = await limitFactorTries(context, { userId, email, address }, () =>
    sql.begin(transaction => useProof(transaction, context, { userId, proof, challenge, address })),
  )
  const session = await beginSession(context, { ...user, id: userId }, { address, isFactorChecked: true })
  if (!session) throw new Error('A log-in with a second factor began no session')
  return session
}

/** Uses up the challenge and the proof, or neither. */
async function useProof(
  sql: SqlTransaction,
  context: AccountsContext,
  args: { userId: string; proof: Proof; challenge: Challenge; address: string },
): Promise<FactorOwner> {
  const { challenge } = args
  const user = await lockUser(sql, args.userId)
  await useChallenge(sql, challenge)
  requireSamePassword(challenge, user.passwordHash)
  const { isUserVerified } = await checkProof(sql, context, args)
  if (challenge.purpose === 'passkey_log_in' && !isUserVerified) throw wrong('passkey')
  return user
}

/** Returns the user of a passkey that logs in alone. An unknown passkey counts as a failed try of the network. */
async function userOfPasskey(
  { sql, tries, config }: AccountsContext,
  proof: Proof,
  address: string,
): Promise<string> {
  if (proof.passkey === undefined || proof.passkey === null)
    refuseParam('passkey', 'must be sent: the challenge is for a passkey')
  const passkey = await findPasskey(sql, parseAssertion(proof.passkey).id)
  if (passkey) return passkey.userId
  await countTry(tries, { name: `factor-address:${networkOf(address)}`, max: config.loginTries * widerBy })
  throw wrong('passkey')
}

async function emailOf(sql: Sql, userId: string): Promise<string> {
  const [user] = await sql<{ email: string }[]>`select email from users where id = ${userId}`
  if (!user) throw new Problem('challenge_refused', { param: 'challengeToken' })
  return user.email
}
