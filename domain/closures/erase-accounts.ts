import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import type { Context } from '../context.ts'
import { lockCarrying } from '../logs/carry-requests.ts'
import type { RequestDatabases } from '../logs/log-database.ts'
import { usageTables } from '../usage/forget-usage.ts'
import { erasedTables } from './account-data.ts'

type ErasureContext = Pick<Context, 'sql' | 'clock' | 'log'> & RequestDatabases

/** Maximum number of rows that one statement deletes or changes. */
const batchRows = 5_000

/** Time after which a run begins no further statement, in milliseconds. The next run continues. */
const maxRunMs = 60_000

/** Maximum number of accounts of one run. */
const maxAccounts = 100

/** The name of an account whose data were deleted. */
const erasedName = 'Deleted account'

/** A run of the chore. */
interface Run {
  sql: Sql
  logs: Sql | undefined
  /** Whether the time of the run is over. */
  isOver(): boolean
}

/**
 * Deletes the data of accounts that were closed `CLOSED_ACCOUNT_DAYS` ago (docs/closing.md). Each statement is limited
 * and can be repeated, so that a run continues where an earlier one ended or died. An account that still has holds or
 * tasks that have not ended is left to a later run. Resolves to the number of accounts without any data left.
 */
export async function eraseAccounts(context: ErasureContext): Promise<number> {
  const { sql, logs, clock, log } = context
  const endsAt = clock.monotonic() + maxRunMs
  const run: Run = { sql, logs, isOver: () => clock.monotonic() >= endsAt }
  let erased = 0
  for (const accountId of await listDue(context)) {
    try {
      if (await eraseAccount(run, accountId)) erased++
    } catch (error) {
      log.error({ accountId, error: explainFault(error) }, 'the data of a closed account were not deleted')
    }
    if (run.isOver()) break
  }
  return erased
}

/** Lists accounts whose data are due to be deleted, the earliest first. */
async function listDue(context: ErasureContext): Promise<string[]> {
  const rows = await context.sql<{ id: string }[]>`
    select id from accounts a where erase_at <= ${earlierNow(context)}
      and not exists (select from holds h where h.account_id = a.id)
      and not exists (select from tasks t where t.account_id = a.id and t.finished_at is null)
    order by erase_at limit ${maxAccounts}`
  return rows.map(({ id }) => id)
}

/** Deletes an account's data. Resolves to false if the time of the run is over or the account was reopened. */
async function eraseAccount(run: Run, accountId: string): Promise<boolean> {
  const { sql } = run
  const begun = await sql`
    update accounts set erased_at = coalesce(erased_at, now()), name = ${erasedName}, allowances = '{}'
    where id = ${accountId} and closed_at is not null and erase_at is not null`
  if (begun.count === 0) return false
  if (!(await eraseRequests(run, accountId))) return false
  if (!(await eraseTables(run, accountId, erasedTables))) return false
  if (!(await eraseLog(run, accountId))) return false
  await eraseMembers(run, accountId)
  if (!(await eraseAddresses(run, accountId))) return false
  await sql`update media_files set expires_at = now() where account_id = ${accountId} and expires_at > now()`
  await sql`
    update payments set checkout_url = null, idempotency_key = null, receipt_url = null, invoice_url = null,
      invoice_pdf_url = null
    where account_id = ${accountId}
      and num_nonnulls(checkout_url, idempotency_key, receipt_url, invoice_url, invoice_pdf_url) > 0`
  await sql`update balances set fires_below_nanos = null, arms_from_nanos = null, tops_up_below_nanos = null where account_id = ${accountId}`
  await sql`update accounts set erase_at = null, updated_at = now() where id = ${accountId}`
  return true
}

/** Deletes the rows of an account in tables. */
async function eraseTables(run: Run, accountId: string, tables: readonly string[]): Promise<boolean> {
  const { sql } = run
  for (const table of tables) {
    const isEmpty = await repeat(
      run,
      () => sql`
        delete from ${sql(table)} where ctid = any (array(
          select ctid from ${sql(table)} where account_id = ${accountId} limit ${batchRows} for update))`,
    )
    if (!isEmpty) return false
  }
  return true
}

/**
 * Deletes the requests and the usage in the log database, after the main database's. A process that carries requests may
 * have read some before: its transaction ends first.
 */
async function eraseLog(run: Run, accountId: string): Promise<boolean> {
  const { logs } = run
  if (!logs) return true
  await logs.begin(lockCarrying)
  const inLogs = { ...run, sql: logs }
  return (await eraseRequests(inLogs, accountId)) && eraseTables(inLogs, accountId, usageTables)
}

/** Deletes the request log. The range of time keeps each statement to the partitions of the oldest rows. */
function eraseRequests(run: Run, accountId: string): Promise<boolean> {
  const { sql } = run
  return repeat(
    run,
    () => sql`
      delete from request_logs where account_id = ${accountId} and created_at <= (
        select max(created_at) from (
          select created_at from request_logs where account_id = ${accountId} order by created_at limit ${batchRows}
        ) oldest)`,
  )
}

/**
 * Deletes the memberships, and the users who are not members of another account, in one transaction: without their
 * membership, these users could not be found again.
 */
async function eraseMembers({ sql }: Run, accountId: string): Promise<void> {
  await sql.begin(async transaction => {
    const members = await transaction<{ userId: string }[]>`
      delete from memberships where account_id = ${accountId} returning user_id as "userId"`
    await transaction`
      delete from users u where id = any (${members.map(({ userId }) => userId)}::uuid[])
        and not exists (select from memberships m where m.user_id = u.id)`
  })
}

/** Removes the client addresses and e-mail addresses from the audit log. */
function eraseAddresses(run: Run, accountId: string): Promise<boolean> {
  const { sql } = run
  return repeat(
    run,
    () => sql`
      update audit_log set address = null, actor_email = null where ctid = any (array(
        select ctid from audit_log where account_id = ${accountId} and (address is not null or actor_email is not null)
        limit ${batchRows} for update))`,
  )
}

/** Repeats a statement until it changes nothing. Resolves to false if the time of the run is over before. */
async function repeat(run: Run, change: () => PromiseLike<{ count: number }>): Promise<boolean> {
  while (!run.isOver()) if ((await change()).count === 0) return true
  return false
}
