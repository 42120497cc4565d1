import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkAll } from '../check-all.ts'
import type { Context } from '../context.ts'
import type { SessionOwner } from './sessions.ts'

/** Thrown if an account with a confirmed address is opened while another account has confirmed this address. */
export class EmailTakenError extends Error {
  constructor() {
    super('An account with this e-mail address already exists.')
  }
}

/**
 * Opens an account with its first user, who is its owner, and a balance of zero. Its arguments have passed `checkSignUp`. Several accounts
 * can have the same address while it is unconfirmed. Throws `EmailTakenError` if the address is to be confirmed at once
 * and belongs to another account.
 *
 * Values are bound parameters, and a taken e-mail address causes no database error. So the log of Postgres, which
 * repeats failed and slow statements, contains neither e-mail addresses nor password hashes.
 */
export async function openAccount(
  { sql, clock, ids }: Pick<Context, 'sql' | 'clock' | 'ids'>,
  account: { email: string; passwordHash: string | null; name: string; isConfirmed: boolean },
): Promise<SessionOwner> {
  const now = new Date(clock.now())
  const [id, accountId] = [ids.uuid(), ids.uuid()]
  await sql.begin(transaction => addAccount(transaction, { ...account, id, accountId, now }))
  return { id, accountId }
}

/** Adds an account with its first user, as `openAccount` does, in a transaction. */
export async function addAccount(
  sql: SqlTransaction,
  account: NewUser & { accountId: string },
): Promise<void> {
  const { id, accountId, name, now } = account
  await sql`insert into accounts (id, name, created_at, updated_at) values (${accountId}, ${name}, ${now}, ${now})`
  await sql`insert into balances (account_id, credits_nanos, held_nanos) values (${accountId}, 0, 0)`
  if (!(await addUser(sql, account))) throw new EmailTakenError()
  await addMembership(sql, { accountId, userId: id, role: 'owner', now })
}

interface NewUser {
  id: string
  email: string
  name: string
  /** Null for a user who signs in through an issuer only. */
  passwordHash: string | null
  isConfirmed: boolean
  now: Date
}

/** Locks an e-mail address until the transaction ends, so that one user confirms it. */
export async function lockAddress(sql: SqlTransaction, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`confirm ${email}`}, 0))`
}

/** Adds a user, in a transaction. Returns false if the address is to be confirmed at once and belongs to another user. */
export async function addUser(sql: SqlTransaction, user: NewUser): Promise<boolean> {
  const { id, email, name, passwordHash, isConfirmed, now } = user
  if (isConfirmed) await lockAddress(sql, email)
  const added = await sql`
    insert into users (id, email, name, password_hash, email_confirmed_at, created_at, updated_at)
    values (${id}, ${email}, ${name}, ${passwordHash}, ${isConfirmed ? now : null}, ${now}, ${now})
    on conflict (lower(email)) where email_confirmed_at is not null do nothing`
  return added.count > 0
}

/**
 * Adds a member to an account, in a transaction. Returns false if the user already is a member; the role then stays.
 */
export async function addMembership(
  sql: SqlTransaction,
  { accountId, userId, role, now }: { accountId: string; userId: string; role: Role; now: Date },
): Promise<boolean> {
  const added = await sql`
    insert into memberships (account_id, user_id, role, created_at) values (${accountId}, ${userId}, ${role}, ${now})
    on conflict do nothing`
  return added.count > 0
}

/** The data of a sign-up. */
export interface SignUp {
  email: string
  password: string
  /** The account's name; the e-mail by default. */
  name?: string | null | undefined
}

/** Maximum length of an e-mail address, in characters (RFC 5321). */
export const maxEmailLength = 254

/** Minimum and maximum length of a password, in characters. Longer passwords would only make hashing slower. */
export const minPasswordLength = 8
export const maxPasswordLength = 200

/** Maximum length of the name of an account, in characters. */
export const maxAccountNameLength = 200

/** The shape of an e-mail address. It contains neither white space nor invisible characters. */
const emailShape = /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@.\p{C}]+$/u

/** The shape of a blank text: only white space and invisible characters. */
const blank = /^[\s\p{C}]*$/u

/**
 * Checks a sign-up, and returns it with the e-mail in its stored form. Throws `validation_failed`, naming
 * every parameter at fault.
 */
export function checkSignUp({ email, password, name }: SignUp): Required<SignUp> & { name: string } {
  checkAll(
    () => checkEmail(email),
    () => checkPassword(password, 'password'),
    () => checkName(name),
  )
  const address = normalizeEmail(email)
  return { email: address, password, name: name?.trim() || address }
}

/** Whether a text in the stored form of an e-mail (`normalizeEmail`) has the shape of an address. */
export function isEmail(normalized: string): boolean {
  return emailShape.test(normalized)
}

/** Returns the domain of an e-mail address in its stored form (`normalizeEmail`). */
export function mailDomainOf(normalized: string): string {
  return normalized.slice(normalized.lastIndexOf('@') + 1)
}

/** Checks an e-mail address. Throws `validation_failed`. */
export function checkEmail(email: string): void {
  if (!isEmail(normalizeEmail(email))) refuseParam('email', 'must be an e-mail address')
}

/** Checks a new password. Throws `validation_failed` with the name of its parameter. */
export function checkPassword(password: string, param: string): void {
  if (password.length < minPasswordLength || password.length > maxPasswordLength)
    refuseParam(param, `must have ${minPasswordLength} to ${maxPasswordLength} characters`)
  if (blank.test(password)) refuseParam(param, 'must not be blank')
}

/** Checks the name of an account or user. Throws `validation_failed`. */
export function checkName(name: SignUp['name']): void {
  if (name && name.trim().length > maxAccountNameLength)
    refuseParam('name', `must have at most ${maxAccountNameLength} characters`)
}

/** Returns the new name of an account or user, trimmed. Throws `validation_failed` if it is blank or too long. */
export function requireName(name: string): string {
  if (blank.test(name)) refuseParam('name', `must have 1 to ${maxAccountNameLength} characters`)
  checkName(name)
  return name.trim()
}

/**
 * Returns the stored form of an e-mail: NFKC, trimmed and in lower case, so that addresses that look the same are the
 * same. Throws `validation_failed` if it is too long.
 */
export function normalizeEmail(email: string): string {
  const normalized = email.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
  if (normalized.length > maxEmailLength)
    refuseParam('email', `must have at most ${maxEmailLength} characters`)
  return normalized
}
