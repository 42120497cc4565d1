import { reconcileAll } from '../domain/ledger/reconcile.ts'
import type { Config } from '../platform/config/read-config.ts'
import { dollars } from '../platform/money.ts'
import { withPostgres } from '../platform/postgres/open-postgres.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Compares the books of all accounts: balances with transactions and holds, keys with what they spent, the log with
charges, payments with credits. Prints a line for each difference and ends with 1 where there is one, else with 0.
Everything keeps running: each account is compared as of one moment.

  npm run reconcile

DATABASE_URL names the database.
`

/** Accounts that are compared by one statement. */
const batch = 100

await runMain({ name: 'reconcile', help, start: reconcile })

async function reconcile(config: Config): Promise<undefined> {
  let [accounts, differences] = [0, 0]
  await withPostgres({ url: config.databaseUrl, name: 'reconcile' }, async sql => {
    for await (const part of reconcileAll({ sql }, { batch })) {
      accounts += part.accounts
      differences += part.differences.length
      for (const { accountId, fault, subject, expectedNanos, foundNanos } of part.differences) {
        const of = subject === null ? '' : ` (${subject})`
        const amounts = `expected $${dollars(expectedNanos)}, found $${dollars(foundNanos)}`
        process.stdout.write(`${accountId}: ${fault}${of}: ${amounts}\n`)
      }
    }
  })
  process.stdout.write(
    `${accounts} account${accounts === 1 ? '' : 's'}, ${differences === 0 ? 'no' : differences} difference${differences === 1 ? '' : 's'}\n`,
  )
  if (differences > 0) process.exitCode = 1
}
