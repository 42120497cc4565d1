import { lowestUuid } from '../../platform/ids.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Ledger } from './ledger.ts'

/** Number of holds that one statement posts. It bounds how long they are locked: to about 3 ms. */
const holdsAtOnce = 100

/** The accounts that a statement posted, and the last account that it considered. */
interface Posted {
  accounts: string[]
  last: string | null
}

/**
 * Posts what the holds of this process have collected: adds it to balances, keys, budgets and usage counters
 * (schema/statements/post-accounts.sql). Uses another connection than the batches, so no answer waits for it. Never
 * throws: holds that were not posted are posted by the next call.
 */
export async function postHolds(ledger: Ledger): Promise<void> {
  const { sql, clock, log } = ledger.context
  try {
    let after: string | null | undefined = lowestUuid
    while (after) {
      const since = clock.monotonic()
      const rows: Posted[] = await sql<Posted[]>`
        select accounts, last_account as last from post_holds(${ledger.processId}, ${after}, ${holdsAtOnce})`
      const posted = new Set(rows[0]?.accounts)
      for (const hold of posted.size > 0 ? ledger.holds.values() : [])
        if (posted.has(hold.accountId) && hold.collectedAt < since) hold.unpostedModel = undefined
      after = rows[0]?.last
    }
  } catch (error) {
    if (isTransient(error)) log.warn({ err: error }, 'posting collected charges failed, and is repeated')
    else await postAccounts(ledger)
  }
}

/** Posts each account by itself, so that an account whose posting fails does not prevent the others. */
async function postAccounts({ context: { sql, log }, holds }: Ledger): Promise<void> {
  for (const accountId of new Set([...holds.values()].map(hold => hold.accountId))) {
    await sql`select post_account(${accountId})`.catch(error =>
      log.error({ err: error, accountId }, 'posting the charges of an account failed'),
    )
  }
}
