import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../domain/context.ts'
import { reconcileLog } from '../../domain/logs/compare-log.ts'
import { findLedgerFaults } from '../harness/ledger-faults.ts'

/** Time within which the worker must have carried all requests, in milliseconds. */
const carriedWithinMs = 30_000

/** Returns where the log database differs from the main database, once the worker has carried all requests. */
export async function checkLog({ sql, logs, clock }: Context): Promise<string[]> {
  if (!logs) throw new Error('the system has no log database')
  for (
    const startedAt = performance.now();
    (await sql`select from changed_requests`).count > 0;
    await sleep(250)
  )
    if (performance.now() - startedAt > carriedWithinMs)
      return ['requests were not carried to the log database']
  const digest = (database: typeof sql) => database<{ digest: string }[]>`
    select count(*) || ' requests, ' || coalesce(sum(hashtextextended(l::text, 0)), 0) as digest from request_logs l`
  const [main, log] = await Promise.all([sql, logs].map(digest))
  const faults = await findLedgerFaults(logs)
  const { differences } = await reconcileLog({ sql, logs, clock }, { limit: 10_000, isRepaired: false })
  return [
    ...(main![0]?.digest === log![0]?.digest
      ? []
      : [`the log database has ${log![0]?.digest}, not ${main![0]?.digest}`]),
    ...faults.map(({ fault, account_id }) => `log database: ${fault} (account ${account_id})`),
    ...differences.map(({ accountId }) => `the log database differs from the charges (account ${accountId})`),
  ]
}
