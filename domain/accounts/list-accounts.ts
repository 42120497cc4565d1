import { isUuid } from '../../platform/checks.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Context } from '../context.ts'

/** An account as an operator sees it. */
export interface AccountOverview {
  id: string
  name: string
  /** The e-mail addresses of its people, at most 20. */
  emails: string[]
  createdAt: Date
  suspendedAt: Date | null
  suspensionReason: string | null
  creditsNanos: bigint
  heldNanos: bigint
  /** Whether it has brought in money. */
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
}

/** Newest first. */
export const accountOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'uuid', direction: 'desc' },
] as const satisfies KeysetOrder

/** Where an account is in that order. */
export function positionOfAccount({ createdMicros, id }: AccountRow): Position {
  return [String(createdMicros), id]
}

/** An overview with its place in the list: accounts are created at microseconds, which a Date does not have. */
export interface AccountRow extends AccountOverview {
  createdMicros: bigint
}

/** Lists a slice of the accounts that match, newest first. */
export async function listAccounts(
  { sql }: Pick<Context, 'sql'>,
  { filter, slice }: { filter: AccountFilter; slice: Slice },
): Promise<AccountRow[]> {
  const { where, end } = keyset(sql, accountOrder, slice)
  return sql<AccountRow[]>`
    select id, name, created_at as "createdAt", suspended_at as "suspendedAt", suspension_reason as "suspensionReason",
      (extract(epoch from created_at) * 1000000)::bigint as "createdMicros", allowances,
      array(select u.email from users u where u.account_id = accounts.id order by u.created_at limit 20) as emails,
      coalesce((select credits_nanos from balances b where b.account_id = accounts.id), 0) as "creditsNanos",
      coalesce((select held_nanos from balances b where b.account_id = accounts.id), 0) as "heldNanos",
      coalesce((select paid_nanos > 0 from balances b where b.account_id = accounts.id), false) as "isPaying",
      (select count(*)::int from api_keys k where k.account_id = accounts.id and k.revoked_at is null) as keys
    from accounts where ${matches(sql, filter)} ${where} ${end}`
}

/** Counts the accounts that match, up to `most`. */
export async function countAccounts(
  { sql }: Pick<Context, 'sql'>,
  { filter, most }: { filter: AccountFilter; most: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from (select from accounts where ${matches(sql, filter)} limit ${most}) counted`
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

function matches(sql: Context['sql'], { search, isSuspended }: AccountFilter) {
  const state =
    isSuspended === undefined
      ? sql`true`
      : isSuspended
        ? sql`suspended_at is not null`
        : sql`suspended_at is null`
  if (!search?.trim()) return state
  if (isUuid(search)) return sql`${state} and id = ${search}`
  const part = search.trim().toLowerCase()
  return sql`${state} and (
    position(${part} in lower(name)) > 0
    or exists (select from users u where u.account_id = accounts.id and position(${part} in lower(u.email)) > 0))`
}
