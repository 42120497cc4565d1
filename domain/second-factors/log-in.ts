import { networkOf } from '../../platform/http/addresses.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { rememberNetwork } from '../accounts/known-networks.ts'
import { type AccountsContext, limitFactorTries } from '../accounts/limit-tries.ts'
import { checkCredentials, requireOwnLogIn, storeLogIn } from '../accounts/log-in.ts'
import { hasSecondFactor } from '../accounts/session-tokens.ts'
import { type Session, type StoredSession, signSession } from '../accounts/sessions.ts'
import { countTry } from '../accounts/try-counter.ts'
import {
  type Challenge,
  openChallenge,
  readChallenge,
  requireSamePassword,
  useChallenge,
} from './challenges.ts'
import { checkProof, isGiven, type Proof, wrong } from './check-proof.ts'
import { lockUser } from './factor-records.ts'
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
 * long, `wrong_credentials`, `too_many_tries`, `overloaded`, `no_membership`, `account_suspended`, `account_closed`.
 */
export async function logIn(
  context: AccountsContext,
  args: { email: string; password: string; address: string },
): Promise<LogIn> {
  const { id: userId, email, passwordHash } = await checkCredentials(context, args)
  const { sql } = context
  const { address } = args
  const stored = await sql.begin(async transaction => {
    const user = await lockUser(transaction, userId)
    if (user.passwordHash !== passwordHash || user.email !== email) throw new Problem('wrong_credentials')
    const [row] = await transaction`select ${hasSecondFactor(transaction, userId)} as "hasFactor"`
    return row?.hasFactor ? undefined : storeLogIn(transaction, context, { userId, address })
  })
  if (stored) return { session: await endLogIn(context, stored, address) }
  const challenge = await openChallenge(sql, context, {
    purpose: 'log_in',
    userId,
    passwordHash: passwordHash ?? undefined,
  })
  return { challenge: await presentChallenge(context, { challenge, userId }) }
}

async function endLogIn(context: AccountsContext, stored: StoredSession, address: string): Promise<Session> {
  await rememberNetwork(context, { userId: stored.userId, address })
  return signSession(context, stored)
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
 * Completes a log-in with a proof of a second factor, and begins the session in the same transaction. So a concurrent
 * reset of the second factors either voids the proof or ends the session. A log-in with a passkey alone needs an
 * authenticator that verifies the user. Failed proofs count. Throws `challenge_refused`, `wrong_second_factor`,
 * `too_many_tries`, `validation_failed`, `no_membership`, `account_suspended`, `account_closed`.
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
  const stored = await limitFactorTries(context, { userId, email, address }, () =>
    sql.begin(async transaction => {
      await useProof(transaction, context, { userId, proof, challenge, address })
      return storeLogIn(transaction, context, { userId, address })
    }),
  )
  return endLogIn(context, stored, address)
}

/** Locks the user, and uses up the challenge and the proof. */
async function useProof(
  sql: SqlTransaction,
  context: AccountsContext,
  args: { userId: string; proof: Proof; challenge: Challenge; address: string },
): Promise<void> {
  const { challenge } = args
  const user = await lockUser(sql, args.userId)
  await useChallenge(sql, challenge)
  requireSamePassword(challenge, user.passwordHash)
  const { isUserVerified } = await checkProof(sql, context, args)
  if (challenge.purpose === 'passkey_log_in' && !isUserVerified) throw wrong('passkey')
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
