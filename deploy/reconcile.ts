import { findMissedEvents } from '../domain/billing/find-missed-events.ts'
import { openPayments } from '../domain/billing/open-payments.ts'
import { receiveEvent } from '../domain/billing/receive-event.ts'
import { closeContext, openContext } from '../domain/context.ts'
import { reconcileAll } from '../domain/ledger/reconcile.ts'
import { dayMs } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { dollars } from '../platform/money.ts'
import { withPostgres } from '../platform/postgres/open-postgres.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Compares the books of all accounts: balances with transactions and holds, keys with what they spent, the log with
charges, payments with credits. If STRIPE_SECRET_KEY is set, also compares Stripe's events of the last 7 days with those
that were received. Prints a line for each difference and ends with 1 if one is left, else with 0. Everything keeps
running: each account is compared as of one moment.

  npm run reconcile -- [--repair]

  --repair   applies the events of Stripe that were not received; other differences are only printed

DATABASE_URL names the database. STRIPE_SECRET_KEY must be permitted to read events.
`

/** Accounts that are compared by one statement. */
const batch = 100

await runMain({ name: 'reconcile', help, options: { repair: { type: 'boolean' } }, start: reconcile })

async function reconcile(config: Config, { options }: Given): Promise<undefined> {
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
  const missed =
    config.stripeSecretKey === 'none' ? 0 : await compareWithStripe(config, options.repair === true)
  if (differences + missed > 0) process.exitCode = 1
}

/** Stripe is compared over this many days, except the last minutes, in which deliveries may be under way. */
const days = 7
const underWayMs = 10 * 60_000

/** Prints the events that were not received, and applies them if they are to be repaired. Resolves to how many are left. */
async function compareWithStripe(config: Config, isRepaired: boolean): Promise<number> {
  const context = openContext(config, { name: 'reconcile' })
  const payments = openPayments(config)
  let left = 0
  try {
    const now = context.clock.now()
    const period = { since: new Date(now - days * dayMs), until: new Date(now - underWayMs) }
    for await (const event of findMissedEvents({ ...context, payments }, period)) {
      const outcome = isRepaired ? (await receiveEvent(context, event)).outcome : undefined
      if (!isRepaired) left += 1
      const repaired = outcome === undefined ? '' : `, applied: ${outcome}`
      process.stdout.write(
        `Stripe: ${event.type} ${event.id} of ${event.createdAt.toISOString()} was not received${repaired}\n`,
      )
    }
  } finally {
    payments.close()
    await closeContext(context)
  }
  return left
}
