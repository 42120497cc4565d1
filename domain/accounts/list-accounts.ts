import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** An account with the details that operators can read. */
export interface AccountOverview {
  id: string
  name: string
  /** The e-mail addresses of its members, at most 20. */
  emails: string[]
  createdAt: Date
  suspendedAt: Date | null
  suspensionReason: string | null
  closedAt: Date | null
  closingReason: string | null
  /** When its data are to be deleted; null unless it is closed and has data. */
  eraseAt: Date | null
  /** When the deletion of its data began. */
  erasedAt: Date | null
  creditsNanos: bigint
  heldNanos: bigint
  /** Whether the account is in the paying tier. */
  isPaying: boolean
  /** Its own limits by resource. Each replaces the limit of its tier. */
  allowances: Record<string, number>
  /** Keys that are not revoked. */
  keys: number
}

export interface AccountFilter {
  /** A part of the name or of an e-mail address, or an ID. */
  search?: string | undefined
  isSuspended?: boolean | undefined
  isClosed?: boolean | undefined
  /** Whether the accounts are in the paying tier. */
  isPaying?: boolean | undefined
}

/** Newest first. */
export const accountOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'uuid', direction: 'desc' },
] as const satisfies KeysetOrder

/** Returns the position of an account in that order. */
export function positionOfAccount({ createdMicros, id }: AccountRow): Position {
  return [String(createdMicros), id]
}

/** An overview with its exact creation time, for the position in the list: a Date has no microseconds. */
export interface AccountRow extends AccountOverview {
  createdMicros: bigint
}

/** Maximum length of `AccountFilter.search`, in characters. */
export const maxSearchLength = 200

/** Maximum number of matches of a search that are read by their IDs and counted. */
export const maxFound = 1_000

/** Lists a slice of the accounts that match, newest first. */
export async function listAccounts(
  { sql }: Pick<Context, 'sql'>,
  { filter, slice }: { filter: AccountFilter; slice: Slice },
): Promise<AccountRow[]> {
  const { where, end, inOrder } = keyset(sql, accountOrder, slice)
  const found = await searchAccounts(sql, filter)
  return sql<AccountRow[]>`
    select id, name, created_at as "createdAt", suspended_at as "suspendedAt", suspension_reason as "suspensionReason",
      closed_at as "closedAt", closing_reason as "closingReason", erase_at as "eraseAt", erased_at as "erasedAt",
      (extract(epoch from created_at) * 1000000)::bigint as "createdMicros", allowances,
      array(
        select u.email from memberships m join users u on u.id = m.user_id
        where m.account_id = page.id order by m.created_at limit 20) as emails,
      coalesce((select credits_nanos from current_balances b where b.account_id = page.id), 0) as "creditsNanos",
      coalesce((select held_nanos from current_balances b where b.account_id = page.id), 0) as "heldNanos",
      coalesce((select paid_nanos > 0 from balances b where b.account_id = page.id), false) as "isPaying",
      (select count(*)::int from api_keys k where k.account_id = page.id and k.revoked_at is null) as keys
    from (select * from accounts where ${matching(sql, filter, found)} ${where} ${end}) page
    ${inOrder}`
}

/** Counts the matching accounts, at most `max`, or at most `maxFound` for a search. */
export async function countAccounts(
  { sql }: Pick<Context, 'sql'>,
  { filter, max }: { filter: AccountFilter; max: number },
): Promise<number> {
  const found = await searchAccounts(sql, filter)
  const limit = filter.search?.trim() ? Math.min(max, maxFound) : max
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from (
      select from accounts where ${matching(sql, filter, found)} limit ${limit}
    ) counted`
  return row?.total ?? 0
}

/** Reads one account; undefined if there is none. */
export async function readOverview(
  context: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<AccountRow | undefined> {
  if (!isUuid(accountId)) return undefined
  const [row] = await listAccounts(context, { filter: { search: accountId }, slice: { limit: 1 } })
  return row
}

/** Minimum number of characters that the indexes of name and e-mail address find. */
const minIndexed = 3

/**
 * Reads the IDs of the accounts that a search matches from the indexes. Returns undefined if there are more than
 * `maxFound`, or the search is too short: then accounts are compared in the order of the list.
 */
async function searchAccounts(sql: Sql, { search }: AccountFilter): Promise<string[] | undefined> {
  const part = search?.trim()
  if (!part) return undefined
  if (isUuid(part)) return [part]
  if (part.length < minIndexed) return undefined
  const { isName, isEmail } = containing(sql, part)
  const found = await sql<{ id: string; isAccount: boolean }[]>`
    (select id, true as "isAccount" from accounts where ${isName} limit ${maxFound + 1})
    union all (select id, false from users where ${isEmail} limit ${maxFound + 1})`
  if (found.length > maxFound) return undefined
  const { accounts = [], people = [] } = Object.groupBy(found, one => (one.isAccount ? 'accounts' : 'people'))
  const joined = await sql<{ id: string }[]>`
    select account_id as id from memberships where user_id = any (${people.map(({ id }) => id)}::uuid[])`
  return [...new Set([...accounts, ...joined].map(({ id }) => id))]
}

/** Returns the condition on accounts. `found` has the accounts that the search matches, if they are few. */
function matching(
  sql: Sql,
  { search, isSuspended, isClosed, isPaying }: AccountFilter,
  found: string[] | undefined,
) {
  const isIn = (column: string, wanted: boolean | undefined) => {
    if (wanted === undefined) return sql`true`
    return wanted ? sql`${sql(column)} is not null` : sql`${sql(column)} is null`
  }
  const pays = sql`exists (select from balances b where b.account_id = accounts.id and b.paid_nanos > 0)`
  const inTier = isPaying === undefined ? sql`true` : isPaying ? pays : sql`not ${pays}`
  const state = sql`${isIn('suspended_at', isSuspended)} and ${isIn('closed_at', isClosed)} and ${inTier}`
  const part = search?.trim()
  if (!part) return state
  if (found) return sql`${state} and id = any (${found}::uuid[])`
  const { isName, isEmail } = containing(sql, part)
  // Not `exists`: Postgres might read the addresses of all accounts for it.
  return sql`${state} and (${isName} or (
    select true from memberships m join users u on u.id = m.user_id
    where m.account_id = accounts.id and ${isEmail} limit 1))`
}

function containing(sql: Sql, part: string) {
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`
  return {
    isName: sql`lower(name) like lower(${pattern})`,
    isEmail: sql`lower(email) like lower(${pattern})`,
  }
}
