import type { Allowances, Standing } from './allowances.ts'

/** Returns the account's standing, at most a second old. An unknown account has never paid. */
export function standingOf(allowances: Allowances, accountId: string): Promise<Standing> {
  const known = allowances.standings.get(accountId)
  if (known) return known
  const read = readStanding(allowances, accountId)
  allowances.standings.set(accountId, read)
  read.catch(() => allowances.standings.delete(accountId))
  return read
}

const noOwnAllowances: ReadonlyMap<string, number> = new Map()

/** Returns the limits that an account's row states. */
export function ownAllowancesOf(column: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  const own = Object.entries(column)
  return own.length === 0 ? noOwnAllowances : new Map(own)
}

async function readStanding({ sql }: Allowances, accountId: string): Promise<Standing> {
  const [row] = await sql<{ is_paying: boolean; allowances: Record<string, number> }[]>`
    select a.allowances, coalesce(b.paid_nanos > 0, false) as is_paying
    from accounts a left join balances b on b.account_id = a.id
    where a.id = ${accountId}`
  return {
    accountId,
    isPaying: row?.is_paying ?? false,
    ownAllowances: ownAllowancesOf(row?.allowances ?? {}),
  }
}
