import { raw } from '@mikro-orm/postgresql'
import type { Config } from '../../platform/config/read-config.ts'
import { UserEntity, type UserRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { rememberNetwork } from './known-networks.ts'
import { type AccountsContext, limitSignUps, limitTries } from './limit-tries.ts'
import { requestLink } from './mailed-links.ts'
import { checkSignUp, maxPasswordLength, normalizeEmail, openAccount, type SignUp } from './open-account.ts'
import { issueSession, type Session } from './sessions.ts'

/**
 * Opens an account with its first user and a balance of zero, logs that user in, and sends the e-mail that confirms the
 * address. Throws `sign_up_closed`,
 * `validation_failed`, `email_taken` (which counts as a failed try), `too_many_tries`, `overloaded`.
 */
export async function signUp(context: AccountsContext, args: SignUp & { address: string }): Promise<Session> {
  requireOwnLogIn(context.config)
  if (context.config.signUp === 'closed') throw new Problem('sign_up_closed')
  const checked = checkSignUp(args)
  const who = { email: checked.email, address: args.address }
  const user = await limitSignUps(context, args.address, () =>
    limitTries(context, who, async () => {
      const passwordHash = await context.passwords.hash(checked.password, args.address)
      return openAccount(context, { ...checked, passwordHash, isConfirmed: false })
    }),
  )
  await rememberNetwork(context, { userId: user.id, address: args.address })
  await requestLink(context, { ...who, purpose: 'confirm_email' }).catch(ignoreRefusal)
  return issueSession(context, user, { address: args.address })
}

/**
 * Logs a person in. Throws `validation_failed` for an e-mail that is too long, `wrong_credentials`,
 * `too_many_tries`, `overloaded`.
 */
export async function logIn(
  context: AccountsContext,
  args: { email: string; password: string; address: string },
): Promise<Session> {
  requireOwnLogIn(context.config)
  const { address } = args
  const email = normalizeEmail(args.email)
  const user = await limitTries(context, { email, address }, () => findUser(context, args))
  await rememberNetwork(context, { userId: user.id, address })
  return issueSession(context, user, { address })
}

async function findUser(
  { em, passwords }: AccountsContext,
  { email, password, address }: { email: string; password: string; address: string },
): Promise<UserRow> {
  if (password.length > maxPasswordLength) throw new Problem('wrong_credentials')
  // Some rows are stored in this form still: schema/migrations/0016-normalised-emails.sql.
  const lowerCase = email.trim().toLowerCase()
  const found = await em.find(UserEntity, {
    [raw('lower(email)')]: { $in: [lowerCase, normalizeEmail(email)] },
  })
  const user = found.find(({ email }) => email === lowerCase) ?? found[0]
  const isRight = await passwords.check(password, user?.passwordHash, address)
  if (!isRight || !user) throw new Problem('wrong_credentials')
  return user
}

/** An account is opened without an e-mail if none can be sent now: its owner requests one later. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}

/** Throws `forbidden` where people log in at a foreign issuer. */
export function requireOwnLogIn(config: Config): void {
  if (config.foreignJwksUrl === '') return
  throw new Problem('forbidden', {
    message: 'Log-in is done elsewhere: use a token of your identity provider.',
  })
}
