import { createHash, randomInt } from 'node:crypto'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** Number of recovery codes of a user. */
export const recoveryCodeCount = 10

/** The characters of a recovery code: lower-case letters and digits that are hard to confuse. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

/** Number of characters of a recovery code without its dashes: at least 79 bits. */
const codeLength = 16

/** Maximum length of a text that is read as a recovery code, in characters. */
const maxTextLength = 100

/** Replaces the recovery codes of a user. Resolves to the new codes, which cannot be read again. */
export async function replaceRecoveryCodes(
  sql: SqlTransaction,
  { clock }: Pick<Context, 'clock'>,
  { userId }: { userId: string },
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, createCode)
  const hashes = codes.map(code => hashOf(userId, code).toString('hex'))
  await sql`delete from recovery_codes where user_id = ${userId}`
  await sql`
    insert into recovery_codes (user_id, code_hash, created_at)
    select ${userId}, decode(hash, 'hex'), ${new Date(clock.now())} from unnest(${hashes}::text[]) hash`
  return codes
}

/** Uses up a recovery code. Resolves to whether the user has the code and it had not been used. */
export async function useRecoveryCode(
  sql: SqlTransaction,
  { clock }: Pick<Context, 'clock'>,
  { userId, code }: { userId: string; code: string },
): Promise<boolean> {
  if (code.length > maxTextLength) return false
  const used = await sql`
    update recovery_codes set used_at = ${new Date(clock.now())}
    where user_id = ${userId} and code_hash = ${hashOf(userId, code)} and used_at is null`
  return used.count > 0
}

/** Counts the recovery codes that a user has not used. */
export async function countRecoveryCodes(sql: Sql, { userId }: { userId: string }): Promise<number> {
  const [row] = await sql<{ left: number }[]>`
    select count(*)::int as left from recovery_codes where user_id = ${userId} and used_at is null`
  return row?.left ?? 0
}

/** Creates a code such as `k7vm-3q9x-tb2r-hz5w`. */
function createCode(): string {
  const text = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return text.replaceAll(/.{4}(?=.)/g, '$&-')
}

/** The hash depends on the user, so that one guess cannot be compared with the codes of all users. */
function hashOf(userId: string, code: string): Buffer {
  const text = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return createHash('sha256').update(`recovery ${userId} ${text}`).digest()
}
