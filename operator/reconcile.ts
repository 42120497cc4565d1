import { setTimeout as sleep } from 'node:timers/promises'
import { findMissedEvents } from '../domain/billing/find-missed-events.ts'
import { receiveEvent } from '../domain/billing/receive-event.ts'
import { type Context, closeContext, openContext } from '../domain/context.ts'
import { type Difference, differencesOf, reconcileAll, repairAccounts } from '../domain/ledger/reconcile.ts'
import { reconcileLog } from '../domain/logs/compare-log.ts'
import { type LogDatabases, requireLogSetting } from '../domain/logs/log-database.ts'
import { closeMedia, type Media, openMedia } from '../domain/media/media.ts'
import { type MediaDifference, reconcileMedia, repairMedia } from '../domain/media/reconcile-media.ts'
import { removeMedia } from '../domain/media/remove-media.ts'
import { openPayments } from '../domain/stripe/open-payments.ts'
import { dayMs } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { openLog } from '../platform/log.ts'
import { requirePostgres } from '../platform/migrations/require-postgres.ts'
import { dollars } from '../platform/money.ts'
import { pooledAddress } from '../platform/postgres/addresses.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'
import { counted } from './counted.ts'

const help = `
Compares the books of all accounts: balances with transactions and holds, holds with processes and tasks, tasks with
charges and the log, keys with what they spent, the log with charges, payments with credits. Compares the rows of stored
media with the storage. If LOG_DATABASE_URL is set, also compares the log database with the charges of requests that
arrived 30 minutes to 50 days ago. If STRIPE_SECRET_KEY is set, also compares Stripe's events of the last 7 days with those that were
received. Prints a line for each difference and exits with 1 if one is left, or else with 0. Processes keep
running: each account is compared as of one moment, and a difference counts if it still exists after 5 seconds.

  npm run reconcile -- [--repair]

  --repair   repairs what does not change a balance, and is safe to repeat:
             - releases holds of tasks and processes that have ended
             - holds the price of a running task without a hold, if available covers it
             - sets held of accounts and keys to the sum of their holds
             - sets what a key has spent to the sum of its transactions
             - sets the cost of tasks and log records to what was charged, and adds missing log records of tasks
             - carries requests again that are missing or differ in the log database, if the main database has them
             - counts stored media whose file is missing as removed, and deletes files without a row and files past
               their retention; does nothing if no stored file is found at all, because the settings then name the wrong
               storage
             - applies events of Stripe that were not received
             Other differences, such as wrong credits and double charges, are only printed: their repair moves money,
             which an operator decides (npm run account:credit).

DATABASE_URL names the database. MEDIA_FOLDER or MEDIA_S3_BUCKET names the storage. STRIPE_SECRET_KEY needs permission to
read events.
`

/** Accounts that are compared by one statement. */
const batch = 100

/** Delay after which a difference must still be there, in milliseconds: a worker may be repairing it. */
const confirmMs = 5_000

/** Stripe is compared over this many days, except the last minutes, in which deliveries may be under way. */
const days = 7
const inFlightMs = 10 * 60_000

await runMain({ name: 'reconcile', help, options: { repair: { type: 'boolean' } }, start: reconcile })

async function reconcile(config: Config, { options }: Given): Promise<undefined> {
  const isRepaired = options.repair === true
  await requirePostgres({ ...pooledAddress(config), name: 'reconcile' })
  const context = openQuietContext(config)
  await requireLogSetting(context.sql, config)
  const media = await openMedia(context)
  let left = 0
  try {
    left += await compareBooks(context, isRepaired)
    if (context.logs) left += await compareLogDatabase({ ...context, logs: context.logs }, isRepaired)
    if (media.storage) left += await compareMedia(media, isRepaired)
    if (config.stripeSecretKey !== 'none') left += await compareWithStripe(context, isRepaired)
  } finally {
    closeMedia(media)
    await closeContext(context)
  }
  if (left > 0) process.exitCode = 1
}

/** Opens a context that logs errors only, on the error output: a line is printed for each outcome. */
function openQuietContext(config: Config): Context {
  const level = 'error'
  const log = openLog({ level, name: 'reconcile', destination: process.stderr })
  return { ...openContext({ ...config, logLevel: level }, { name: 'reconcile' }), log }
}

/** Prints where books differ. Returns how many differences are left. */
async function compareBooks(context: Context, isRepaired: boolean): Promise<number> {
  let [accounts, left] = [0, 0]
  for await (const part of reconcileAll(context, { batch })) {
    accounts += part.accounts
    if (part.differences.length === 0) continue
    const differences = await confirmed(context, part.differences)
    const ids = [...new Set(differences.map(({ accountId }) => accountId))]
    const remaining = isRepaired ? await repairAccounts(context, ids) : differences
    const isLeft = new Set(remaining.map(nameOf))
    for (const difference of differences) {
      const { accountId, fault, subject, expectedNanos, foundNanos } = difference
      const of = subject === null ? '' : ` (${subject})`
      const amounts = `expected $${dollars(expectedNanos)}, found $${dollars(foundNanos)}`
      const repaired = isLeft.has(nameOf(difference)) ? '' : ', repaired'
      process.stdout.write(`${accountId}: ${fault}${of}: ${amounts}${repaired}\n`)
    }
    left += remaining.length
  }
  process.stdout.write(`${accounts} account${accounts === 1 ? '' : 's'}, ${counted(left, 'difference')}\n`)
  return left
}

/** Returns the differences that are still there after a while. */
async function confirmed(context: Context, differences: readonly Difference[]): Promise<Difference[]> {
  await sleep(confirmMs)
  const before = new Set(differences.map(nameOf))
  const ids = [...new Set(differences.map(({ accountId }) => accountId))]
  return (await differencesOf(context, ids)).filter(difference => before.has(nameOf(difference)))
}

function nameOf({ accountId, fault, subject }: Difference): string {
  return `${accountId} ${fault} ${subject}`
}

/**
 * Prints the spans of time in which the log database differs from the charges. Returns how many are left. A repair carries
 * the requests that the main database still has again.
 */
async function compareLogDatabase(databases: LogDatabases & Context, isRepaired: boolean): Promise<number> {
  let left = 0
  for (let after: string | undefined; ; ) {
    const { differences, lastAccountId } = await reconcileLog(databases, { after, limit: batch, isRepaired })
    for (const { accountId, since, until, chargedNanos, loggedNanos, isLeft } of differences) {
      if (isLeft) left += 1
      const period = `${since.toISOString()} to ${until.toISOString()}`
      const amounts = `expected $${dollars(chargedNanos)}, found $${dollars(loggedNanos)}`
      process.stdout.write(
        `${accountId}: the log database differs from the charges of ${period}: ${amounts}${isLeft ? '' : ', repaired'}\n`,
      )
    }
    if (lastAccountId === undefined) return left
    after = lastAccountId
  }
}

/** Prints where stored media differs. Returns how many differences are left. */
async function compareMedia(media: Media, isRepaired: boolean): Promise<number> {
  const { differences, found } = await mediaDifferences(media)
  const isOtherStorage = found === 0 && differences.some(({ fault }) => fault === 'a stored file is missing')
  const mayRepair = isRepaired && !isOtherStorage && differences.length > 0
  if (mayRepair) {
    await repairMedia(media, differences)
    await removeMedia(media)
  }
  const left = mayRepair ? (await mediaDifferences(media)).differences : differences
  const isLeft = new Set(left.map(({ fault, name }) => `${fault} ${name}`))
  for (const { fault, name } of differences)
    process.stdout.write(`media ${name}: ${fault}${isLeft.has(`${fault} ${name}`) ? '' : ', repaired'}\n`)
  if (isOtherStorage)
    process.stdout.write(
      'No stored file was found: check MEDIA_FOLDER and MEDIA_S3_BUCKET. No media is repaired.\n',
    )
  return left.length
}

/** Compares all stored media. */
async function mediaDifferences(media: Media): Promise<{ differences: MediaDifference[]; found: number }> {
  const differences: MediaDifference[] = []
  let found = 0
  for await (const part of reconcileMedia(media)) {
    differences.push(...part.differences)
    found += part.found
  }
  return { differences, found }
}

/** Prints the events that were not received, and applies them if they are to be repaired. Resolves to how many are left. */
async function compareWithStripe(context: Context, isRepaired: boolean): Promise<number> {
  const payments = openPayments(context.config)
  let left = 0
  try {
    const now = context.clock.now()
    const period = { since: new Date(now - days * dayMs), until: new Date(now - inFlightMs) }
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
  }
  return left
}
