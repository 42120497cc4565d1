import type { Context } from '../context.ts'
import { type Difference, differencesOf } from './reconcile.ts'

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
