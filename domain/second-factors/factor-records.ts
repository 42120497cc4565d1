import { isUuid } from '../../platform/checks.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { sendsMail } from '../../platform/mail/send-mail.ts'
import { type KeysetOrder, keyset, type Slice } from '../../platform/postgres/keyset.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'

/** The kinds of second factors: an authenticator app (TOTP), and a passkey (WebAuthn). */
export type FactorKind = 'totp' | 'passkey'

/** An authenticator app or a passkey of a user, without its secret. */
export interface SecondFactor {
  id: string
  kind: FactorKind
  name: string
  createdAt: Date
  /** When it last proved the user's identity. Null if it never has since it was added. */
  lastUsedAt: Date | null
}

/** Maximum number of second factors of a user. */
const maxFactors = 20

/** Maximum length of the name of a second factor, in characters. */
export const maxFactorNameLength = 100

/** Newest first. */
export const factorOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'uuid', direction: 'desc' },
] as const satisfies KeysetOrder

/** Lists a slice of a user's second factors, newest first. */
export async function listFactors(
  { sql }: Pick<Context, 'sql'>,
  { userId, slice }: { userId: string; slice: Slice },
): Promise<SecondFactor[]> {
  const { where, end } = keyset(sql, factorOrder, slice)
  return sql<SecondFactor[]>`
    select id, kind, name, created_at as "createdAt", last_used_at as "lastUsedAt" from second_factors
    where user_id = ${userId} and activated_at is not null ${where} ${end}`
}

/** Changes the name of a user's second factor. Resolves to it. Throws `validation_failed`, `not_found`. */
export async function renameFactor(
  { sql, action }: Pick<Context, 'sql'> & { action?: ActionMark | undefined },
  { userId, id, name }: { userId: string; id: string; name: string },
): Promise<SecondFactor> {
  const checked = checkFactorName(name)
  if (!isUuid(id)) throw new Problem('not_found')
  return sql.begin(async transaction => {
    const [factor] = await transaction<SecondFactor[]>`
      update second_factors set name = ${checked}
      where user_id = ${userId} and id = ${id} and activated_at is not null
      returning id, kind, name, created_at as "createdAt", last_used_at as "lastUsedAt"`
    if (!factor) throw new Problem('not_found')
    if (action) await endAction({ sql: transaction }, action, { type: 'SecondFactor', id })
    return factor
  })
}

/** Counts a user's second factors by kind. */
export async function countFactors(
  sql: Context['sql'] | SqlTransaction,
  { userId }: { userId: string },
): Promise<Record<FactorKind, number>> {
  const [row] = await sql<Record<FactorKind, number>[]>`
    select (count(*) filter (where kind = 'totp'))::int as totp,
      (count(*) filter (where kind = 'passkey'))::int as passkey
    from second_factors where user_id = ${userId} and activated_at is not null`
  return row ?? { totp: 0, passkey: 0 }
}

/** A user whose second factors change. */
export interface FactorOwner {
  email: string
  emailConfirmedAt: Date | null
  /** Null for a user who signs in through an issuer only. */
  passwordHash: string | null
}

/**
 * Reads a user, and locks the row until the end of the transaction: log-ins and changes of the second factors wait.
 * Throws `not_found`.
 */
export async function lockUser(sql: SqlTransaction, userId: string): Promise<FactorOwner> {
  const [user] = await sql<FactorOwner[]>`
    select email, email_confirmed_at as "emailConfirmedAt", password_hash as "passwordHash" from users
    where id = ${userId} for no key update`
  if (!user) throw new Problem('not_found')
  return user
}

/**
 * Throws `email_not_confirmed` unless the user has confirmed the e-mail address. Somebody else could otherwise sign up
 * with the address and add a passkey, which would still log in after the address's owner has set a new password. Nobody
 * can confirm an address without a mail server, so every user may then add second factors.
 */
export function requireConfirmedAddress(
  config: Pick<Config, 'smtpUrl'>,
  { emailConfirmedAt }: Pick<FactorOwner, 'emailConfirmedAt'>,
): void {
  if (sendsMail(config) && !emailConfirmedAt) throw new Problem('email_not_confirmed')
}

/** Throws `conflict` if the user has as many second factors as permitted. The user's row is locked. */
export async function requireFreePlace(sql: SqlTransaction, userId: string): Promise<void> {
  const { totp, passkey } = await countFactors(sql, { userId })
  if (totp + passkey < maxFactors) return
  throw new Problem('conflict', {
    message: `A user can have at most ${maxFactors} second factors. Remove one first.`,
  })
}

/** Returns the name of a new second factor, trimmed. Throws `validation_failed`. */
export function checkFactorName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length === 0 || trimmed.length > maxFactorNameLength)
    refuseParam('name', `must have 1 to ${maxFactorNameLength} characters`)
  return trimmed
}
