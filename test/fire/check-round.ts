import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { TestKey } from '../harness/an-account.ts'
import { findLedgerFaults } from '../harness/ledger-faults.ts'
import type { Seen } from './ask.ts'
import { checkTasks } from './check-tasks.ts'
import { type Customers, payable } from './customers.ts'
import type { Load } from './load.ts'

/** The rows of a round in Postgres and the outcomes that its clients saw. */
export interface Verdict {
  requests: number
  answered: number
  refused: number
  /** Cut, left or lost: the client does not know what became of it. */
  unknown: number
  /** Videos that were taken. */
  tasks: number
  charged: number
  /** Requests that were charged although an error or the stream said that nothing was charged. */
  refusedAndCharged: number
  /** The broken promises, in words. Empty if all hold. */
  breaks: string[]
}

/** A request in the log, with its entries in the ledger: charges, less what was refunded. */
export interface Logged {
  id: string
  accountId: string
  status: number
  costNanos: bigint
  isByok: boolean
  entries: number
}

/** Compares what clients saw with the books, once nothing is in flight any more. */
export async function checkRound(sql: Sql, { customers, load, ...changes }: RoundSeen): Promise<Verdict> {
  const logged = await readLog(sql, accountsOf(customers))
  const { seen } = load
  const faults = await findLedgerFaults(sql)
  const breaks = [
    ...faults.map(({ fault, account_id }) => `${fault} (account ${account_id})`),
    ...(await findHeld(sql)),
    ...compare({ customers, load, ...changes }, logged),
    ...(await checkTasks(sql, customers.maker.accountId, load.tasks)),
  ]
  const ended = (...ends: Seen['end'][]) => seen.filter(({ end }) => ends.includes(end))
  return {
    requests: seen.length,
    answered: ended('answered', 'submitted').length,
    refused: ended('refused').length,
    unknown: ended('cut', 'lost', 'hung').length,
    tasks: load.tasks.length,
    charged: [...logged.values()].filter(({ costNanos }) => costNanos > 0n).length,
    refusedAndCharged: refusedAndCharged(seen, logged).length,
    breaks: reportOnce(breaks),
  }
}

/** A round in the form that is compared with the log. */
export interface RoundSeen {
  customers: Customers
  load: Pick<Load, 'seen' | 'repeats' | 'tasks'>
  /** When a key had been revoked, by `performance.now()`. */
  revokedAt: number | undefined
  /** When a key's cap had been lowered to nothing. */
  loweredAt: number | undefined
}

/** What clients saw against what is logged and charged: every difference, in words. */
export function compare(
  { customers, load, revokedAt, loweredAt }: RoundSeen,
  logged: Map<string, Logged>,
): string[] {
  const { seen } = load
  return [
    ...seen.flatMap(one => faultOf(one, { logged, byok: customers.byok.accountId })),
    ...[...logged.values()].filter(({ entries }) => entries > 1).map(({ id }) => `${id} was charged twice`),
    ...unseenCharges(seen, logged),
    ...repeatedCharges(load.repeats, logged, customers),
    ...answersAfter(revokedAt, seen, customers.revoked, 'its key was revoked'),
    ...answersAfter(loweredAt, seen, customers.lowered, 'its cap was lowered to nothing'),
    ...limitBreaks(customers, logged),
    ...refusedAndCharged(seen, logged).map(
      ({ requestId, code }) => `${requestId} was refused (${code}), and charged`,
    ),
  ]
}

/** A repeat under an Idempotency-Key shares the request of the answered attempt, so it proves nothing about the charge. */
function refusedAndCharged(seen: readonly Seen[], logged: Map<string, Logged>): Seen[] {
  const isServed = ({ end }: Seen) => end === 'answered' || end === 'submitted'
  const answered = new Set(seen.filter(isServed).map(({ requestId }) => requestId))
  return seen.filter(
    ({ end, isToldFree, requestId }) =>
      (end === 'refused' || isToldFree) &&
      !answered.has(requestId) &&
      (logged.get(requestId ?? '')?.costNanos ?? 0n) > 0n,
  )
}

export function accountsOf({ rich, ...others }: Customers): string[] {
  return [...rich, ...Object.values(others)].map(({ accountId }) => accountId)
}

async function readLog(sql: Sql, accountIds: string[]): Promise<Map<string, Logged>> {
  const rows = await sql<Logged[]>`
    select l.id, l.account_id as "accountId", l.status, l.cost_nanos as "costNanos",
      l.byok_id is not null as "isByok",
      (select coalesce(sum(case payment_method when 'usage' then 1 else -1 end), 0)::int from transactions t
        where t.account_id = l.account_id and t.request_id = l.id) as entries
    from request_logs l where l.account_id = any(${accountIds}::uuid[])`
  return new Map(rows.map(row => [row.id, row]))
}

/** Money that is in use although no request is running. */
async function findHeld(sql: Sql): Promise<string[]> {
  const rows = await sql<{ accountId: string }[]>`
    select distinct account_id as "accountId" from holds where in_use_nanos > 0`
  return rows.map(({ accountId }) => `money is in use although nobody asks (account ${accountId})`)
}

function faultOf(one: Seen, { logged, byok }: { logged: Map<string, Logged>; byok: string }): string[] {
  if (one.end === 'hung') return ['a request had no answer for a minute']
  if (one.status === 500) return [`a 500 (${one.code}): ${one.requestId}`]
  if (one.end !== 'answered' || one.isReplay) return []
  const row = logged.get(one.requestId ?? '')
  if (!row) return [`${one.requestId} was answered, and is not in the log`]
  if (one.accountId === byok)
    return row.costNanos === 0n ? [] : [`${row.id} of a customer's own vendor was charged`]
  if (row.costNanos <= 0n) return [`${row.id} was answered for nothing`]
  return row.entries === 1 ? [] : [`${row.id} was answered, with ${row.entries} entries in the ledger`]
}

/** Charges without a known request, if there are more of them than requests whose head was lost. */
function unseenCharges(seen: readonly Seen[], logged: Map<string, Logged>): string[] {
  const known = new Set(seen.map(({ requestId }) => requestId))
  const lost = Map.groupBy(
    seen.filter(({ requestId }) => requestId === undefined),
    ({ accountId }) => accountId,
  )
  const unseen = [...logged.values()].filter(({ id, costNanos }) => costNanos > 0n && !known.has(id))
  return [...Map.groupBy(unseen, ({ accountId }) => accountId)]
    .filter(([accountId, rows]) => rows.length > (lost.get(accountId)?.length ?? 0))
    .map(([accountId, rows]) => `${rows.length} charges of requests that nobody sent (account ${accountId})`)
}

/** One answer and one charge for all requests under one Idempotency-Key; none of these answers is for nothing. */
function repeatedCharges(
  repeats: Load['repeats'],
  logged: Map<string, Logged>,
  { idempotent }: Customers,
): string[] {
  const charges = [...logged.values()].filter(
    ({ accountId, costNanos }) => accountId === idempotent.accountId && costNanos > 0n,
  )
  const paidIds = new Set(charges.map(({ id }) => id))
  const breaks: string[] = []
  let answeredKeys = 0
  for (const [key, tries] of repeats) {
    const answered = tries.filter(({ end }) => end === 'answered')
    if (answered.length > 0) answeredKeys += 1
    const answers = new Set(answered.map(({ answerId }) => answerId))
    if (answers.size > 1) breaks.push(`${answers.size} answers under the Idempotency-Key ${key}`)
    const paid = new Set(
      tries.flatMap(({ requestId }) => (requestId && paidIds.has(requestId) ? [requestId] : [])),
    )
    if (paid.size > 1) breaks.push(`${paid.size} charges under the Idempotency-Key ${key}`)
  }
  if (charges.length < answeredKeys)
    breaks.push(`${answeredKeys} answers under Idempotency-Keys, but ${charges.length} charges`)
  return breaks
}

function answersAfter(
  changedAt: number | undefined,
  seen: readonly Seen[],
  changed: TestKey,
  change: string,
): string[] {
  const late = seen.filter(
    ({ accountId, sentAt, status }) =>
      accountId === changed.accountId && changedAt !== undefined && sentAt > changedAt && status === 200,
  )
  return late.map(({ requestId }) => `${requestId} was answered after ${change}`)
}

/** Money and cap for exactly `count` requests: never more are charged, and once all requests have ended, no fewer. */
function limitBreaks({ exact, capped, budgeted }: Customers, logged: Map<string, Logged>): string[] {
  return [exact, capped, budgeted].flatMap(({ accountId }, at) => {
    const rows = [...logged.values()].filter(row => row.accountId === accountId && row.costNanos > 0n)
    const what = ['a balance', 'a cap', 'a budget'][at]
    return BigInt(rows.length) === payable ? [] : [`${rows.length} charges on ${what} for exactly ${payable}`]
  })
}

/** The same thing a thousand times is said once, with its count; ids differ. */
function reportOnce(breaks: string[]): string[] {
  const alike = Map.groupBy(breaks, text => text.replace(/(req|task)_\w+/, 'a request'))
  return [...alike.values()].map(texts =>
    texts.length > 1 ? `${texts[0]} (${texts.length} of these)` : texts[0]!,
  )
}
