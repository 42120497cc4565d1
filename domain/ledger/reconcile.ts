import { lowestUuid } from '../../platform/ids.ts'
import type { Context } from '../context.ts'

/** A violated invariant in the books of an account (domain/ledger/README.md). */
export interface Difference {
  accountId: string
  /** A description of the violation. */
  fault: string
  /** The key, hold, request or payment that differs; null for the balance itself. */
  subject: string | null
  expectedNanos: bigint
  foundNanos: bigint
}

/** The result of one comparison. */
export interface Reconciled {
  differences: Difference[]
  accounts: number
  /** The last account that was compared; undefined if no account was left. */
  lastAccountId: string | undefined
}

/**
 * Compares the books of the `limit` accounts that follow `after` in the order of their IDs: balances with
 * transactions and holds, holds with processes and tasks, keys with their spending, tasks with holds, charges and the
 * log, the log with charges, and payments with credits. It is one statement, so that concurrent changes are not
 * reported. On Citus, an account that seems to differ is locked and compared again.
 */
export async function reconcileAccounts(
  { sql }: Pick<Context, 'sql'>,
  { after = lowestUuid, limit }: { after?: string | undefined; limit: number },
): Promise<Reconciled> {
  const accounts = await sql<{ id: string }[]>`
    (select id from accounts where id > ${after} order by id limit ${limit})
    union (select account_id from balances where account_id > ${after} order by account_id limit ${limit})
    order by id limit ${limit}`
  const ids = accounts.map(({ id }) => id)
  return { differences: await differencesOf({ sql }, ids), accounts: ids.length, lastAccountId: ids.at(-1) }
}

/** Compares the books of these accounts. */
export async function differencesOf(
  { sql }: Pick<Context, 'sql'>,
  accountIds: readonly string[],
): Promise<Difference[]> {
  const columns = sql`
    account_id as "accountId", fault, subject, expected_nanos as "expectedNanos", found_nanos as "foundNanos"`
  const differences = await sql<(Difference & { isOnCitus: boolean })[]>`
    select ${columns}, runs_on_citus() as "isOnCitus" from ledger_differences(${[...accountIds]}::uuid[])`
  if (!differences[0]?.isOnCitus) return differences.map(({ isOnCitus: _, ...difference }) => difference)
  const locked: Difference[] = []
  for (const accountId of new Set(differences.map(difference => difference.accountId)))
    locked.push(...(await sql<Difference[]>`select ${columns} from locked_differences(${accountId})`))
  return locked
}

/**
 * Repairs differences in the books of accounts, except differences that need a change of a balance
 * (`schema/statements/repair-account.sql`), one transaction per account. Safe while the system runs, and safe to
 * repeat. Returns the differences that are left.
 */
export async function repairAccounts(
  { sql }: Pick<Context, 'sql'>,
  accountIds: readonly string[],
): Promise<Difference[]> {
  for (const accountId of accountIds) await sql`select repair_account(${accountId})`
  return differencesOf({ sql }, accountIds)
}

/** Compares the books of all accounts in batches and yields the result of each batch. */
export async function* reconcileAll(
  context: Pick<Context, 'sql'>,
  { batch }: { batch: number },
): AsyncGenerator<Reconciled> {
  for (let after: string | undefined; ; ) {
    const part = await reconcileAccounts(context, { after, limit: batch })
    if (part.lastAccountId === undefined) return
    yield part
    after = part.lastAccountId
  }
}
