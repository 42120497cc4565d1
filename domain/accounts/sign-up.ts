import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'
import { checkSignUp, type SignUp } from './check-sign-up.ts'
import { limitSignUps } from './limit-sign-ups.ts'
import { limitTries } from './limit-tries.ts'
import { refuseOwnLogIn } from './own-log-in.ts'
import { hashPassword } from './passwords.ts'
import { issueSession, type SessionOwner } from './sessions/issue-session.ts'
import type { Session } from './sessions/session.ts'

/**
 * Opens an account with its first user and a balance of zero, and logs that user in.
 * Throws `validation_failed`, `email_taken`, `too_many_tries` (taken e-mails count as tries).
 */
export async function signUp(context: AccountsContext, args: SignUp & { address: string }): Promise<Session> {
  refuseOwnLogIn(context.config)
  const checked = checkSignUp(args)
  const who = { email: checked.email, address: args.address }
  const user = await limitSignUps(context, args.address, () =>
    limitTries(context, who, () => openAccount(context, checked)),
  )
  return issueSession(context, user)
}

/**
 * Its values are bound, and a taken e-mail is no error of the database: whoever reads the log of PostgreSQL, which
 * repeats the text of statements that fail or take long, learns neither e-mails nor hashes of passwords.
 */
async function openAccount(
  { sql, clock, ids }: AccountsContext,
  { email, password, name }: { email: string; password: string; name: string },
): Promise<SessionOwner> {
  const now = new Date(clock.now())
  const passwordHash = await hashPassword(password)
  const [id, accountId] = [ids.uuid(), ids.uuid()]
  await sql.begin(async transaction => {
    await transaction`
      insert into accounts (id, name, created_at, updated_at) values (${accountId}, ${name}, ${now}, ${now})`
    await transaction`insert into balances (account_id, credits_nanos, held_nanos) values (${accountId}, 0, 0)`
    const [user] = await transaction`
      insert into users (id, account_id, email, name, password_hash, created_at, updated_at)
      values (${id}, ${accountId}, ${email}, ${name}, ${passwordHash}, ${now}, ${now})
      on conflict (lower(email)) do nothing returning id`
    if (!user) throw new Problem('email_taken', { param: 'email' })
  })
  return { id, accountId }
}
