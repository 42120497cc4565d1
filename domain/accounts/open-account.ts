import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { hashPassword } from './passwords.ts'
import type { SessionOwner } from './sessions/issue-session.ts'

/**
 * Opens an account with its first user and a balance of zero; what it is given has been checked (`checkSignUp`).
 * Throws `email_taken`.
 *
 * Its values are bound, and a taken e-mail is no error of the database: whoever reads the log of PostgreSQL, which
 * repeats the text of statements that fail or take long, learns neither e-mails nor hashes of passwords.
 */
export async function openAccount(
  { sql, clock, ids }: Pick<Context, 'sql' | 'clock' | 'ids'>,
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
