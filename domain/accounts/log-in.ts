import type { Config } from '../../platform/config/read-config.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { UserRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { accountsOf } from './accounts.ts'
import { rememberNetwork } from './known-networks.ts'
import { type AccountsContext, limitSignUps, limitTries } from './limit-tries.ts'
import { requestLink } from './mailed-links.ts'
import { checkSignUp, maxPasswordLength, normalizeEmail, openAccount, type SignUp } from './open-account.ts'
import { beginFirstSession, type Session, type StoredSession, storeSession } from './sessions.ts'

/**
 * Opens an account with its first user and a balance of zero, logs the user in, and sends the e-mail that confirms the
 * address. If the address belongs to another account, response and timing are the same, but the e-mail notifies the
 * address's owner. Throws `sign_up_closed`, `validation_failed`, `too_many_tries`, `overloaded`.
 */
export async function signUp(context: AccountsContext, args: SignUp & { address: string }): Promise<Session> {
  requireOwnLogIn(context.config)
  if (context.config.signUp === 'closed') throw new Problem('sign_up_closed')
  const checked = checkSignUp(args)
  const { address } = args
  const user = await limitSignUps(context, address, async () => {
    const passwordHash = await context.passwords.hash(checked.password, address)
    return openAccount(context, { ...checked, passwordHash, isConfirmed: false })
  })
  await rememberNetwork(context, { userId: user.id, address })
  const link = { purpose: 'confirm_email', email: checked.email, userId: user.id, address } as const
  await requestLink(context, link).catch(ignoreRefusal)
  return beginFirstSession(context, user, { address })
}

/**
 * Finds the user with an e-mail address and a password, and counts the try. Throws `validation_failed` for an e-mail
 * address that is too long, `wrong_credentials`, `too_many_tries`, `overloaded`, and `forbidden` if users log in at a
 * foreign issuer.
 */
export async function checkCredentials(
  context: AccountsContext,
  args: { email: string; password: string; address: string },
): Promise<Candidate> {
  requireOwnLogIn(context.config)
  const { address } = args
  const email = normalizeEmail(args.email)
  return limitTries(context, { email, address }, () => findUser(context, args))
}

/**
 * Stores a session in the account that the user used last, in a transaction that has locked the user's row and checked
 * every proof. A concurrent change of the password or of the second factors waits for this transaction and then ends
 * the session. Throws `no_membership` if the user is not a member of any account, `account_suspended`, `account_closed`.
 */
export async function storeLogIn(
  sql: SqlTransaction,
  context: Pick<Context, 'clock' | 'config' | 'ids'>,
  { userId, address }: { userId: string; address: string },
): Promise<StoredSession> {
  const [accountId] = await accountsOf(sql, { userId })
  if (accountId === undefined) throw new Problem('no_membership')
  const confirmedAt = new Date(context.clock.now())
  return storeSession(sql, context, { id: userId, accountId }, { address, confirmedAt })
}

/** A user whose password was checked. */
export type Candidate = Pick<UserRow, 'id' | 'email' | 'passwordHash' | 'emailConfirmedAt'>

/**
 * Finds the user with this e-mail address and password: the user who confirmed the address, or else the latest user who
 * signed up with it. Two passwords are always checked, even if there are no such users, so that timing does not reveal
 * which of them exist.
 */
async function findUser(
  { sql, passwords }: AccountsContext,
  { email, password, address }: { email: string; password: string; address: string },
): Promise<Candidate> {
  if (password.length > maxPasswordLength) throw new Problem('wrong_credentials')
  const found = await sql<Candidate[]>`
    select distinct on (email_confirmed_at is null) id, email, password_hash as "passwordHash",
      email_confirmed_at as "emailConfirmedAt"
    from users where lower(email) = ${normalizeEmail(email)}
    order by email_confirmed_at is null, created_at desc, id desc`
  const owner = found.find(({ emailConfirmedAt }) => emailConfirmedAt)
  const latest = found.find(({ emailConfirmedAt }) => !emailConfirmedAt)
  for (const user of [owner, latest]) {
    const isRight = await passwords.check(password, user?.passwordHash ?? undefined, address)
    if (isRight && user) return user
  }
  throw new Problem('wrong_credentials')
}

/** If the e-mail cannot be sent now, the account is opened without it. The user can request another one later. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}

/** Throws `forbidden` if users log in at a foreign issuer. */
export function requireOwnLogIn(config: Config): void {
  if (config.foreignJwksUrl === '') return
  throw new Problem('forbidden', {
    message: 'This service does not log users in. Use a token of your identity provider.',
  })
}
