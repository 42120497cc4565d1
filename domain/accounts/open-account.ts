import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { hashPassword } from './passwords.ts'
import type { SessionOwner } from './sessions.ts'

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

export interface SignUp {
  email: string
  password: string
  /** What the account is called; the e-mail unless given. */
  name?: string | null | undefined
}

/** No e-mail address is longer (RFC 5321). */
const maxEmailLength = 254

/** Without blanks, and without characters that nobody sees. */
const emailShape = /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@.\p{C}]+$/u

/** Nothing that can be seen. */
const blank = /^[\s\p{C}]*$/u

/**
 * Checks what a person signs up with; answers it with the e-mail as it is kept.
 * Throws `validation_failed` naming the parameter.
 */
export function checkSignUp({ email, password, name }: SignUp): Required<SignUp> & { name: string } {
  const address = normalizeEmail(email)
  if (!emailShape.test(address)) refuse('email', 'email must be an e-mail address.')
  if (password.length < 8 || password.length > 200)
    refuse('password', 'password must have 8 to 200 characters.')
  if (blank.test(password)) refuse('password', 'password must not be blank.')
  const label = name?.trim() || address
  if (label.length > 200) refuse('name', 'name must have at most 200 characters.')
  return { email: address, password, name: label }
}

/**
 * An e-mail as it is kept: in compatibility form (NFKC), without blanks around it, in lower case; so two that look the
 * same are the same. Throws `validation_failed` for one that is longer than any can be.
 */
export function normalizeEmail(email: string): string {
  const known = email.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
  if (known.length > maxEmailLength) refuse('email', `email must have at most ${maxEmailLength} characters.`)
  return known
}

function refuse(param: string, message: string): never {
  throw new Problem('validation_failed', { param, message })
}
