import { setTimeout as sleep } from 'node:timers/promises'
import { GroupCommit } from '../../platform/group-commit.ts'
import { pooledAddress } from '../../platform/postgres/addresses.ts'
import { openDedicatedConnection } from '../../platform/postgres/dedicated-connection.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Context } from '../context.ts'
import { commitBatch } from './commit-queue.ts'
import { rejectExpiredWaiters } from './grow-hold.ts'
import { type Hold, type HoldOwner, holdName } from './hold.ts'
import type { CommitItem } from './ledger.ts'
import {
  answerTimeoutMs,
  heartbeatMs,
  holdUpdateIntervalMs,
  idleBudgetedMs,
  idleHeadroomMs,
  type Ledger,
  lapseAfterMs,
  openLedgerCounts,
  postIntervalMs,
  trustMs,
} from './ledger.ts'
import { postHolds } from './post-holds.ts'
import { beat } from './process-row.ts'
import { queueHoldUpdate, recallTopic, releaseFreeAmount, releaseHeadroom } from './recall-headroom.ts'
import { holdOf } from './reserve.ts'

interface LedgerOptions {
  kind: string
  /** The ID of an earlier process that has ended and whose holds this one continues. */
  adopted?: string | undefined
}

/**
 * Opens the ledger of this process: its row in `processes`, its commit queue and its timers. Throws `unavailable` if
 * Postgres does not respond.
 */
export async function openLedger(context: Context, options: LedgerOptions): Promise<Ledger> {
  const { config, ids, news } = context
  const ledger: Ledger = {
    context,
    kind: options.kind,
    processId: ids.uuid(),
    isRegistered: false,
    flushNumber: 0n,
    holds: new Map(),
    connection: openDedicatedConnection({ ...pooledAddress(config), name: `${options.kind}-ledger` }),
    commits: new GroupCommit((items: CommitItem[]) => commitBatch(ledger, items)),
    contested: new Set(),
    settling: new Set(),
    unfinished: new Set(),
    unclaimed: new Map(),
    shortHolds: new Map(),
    trustedUntil: -Infinity,
    beating: undefined,
    posting: undefined,
    recalledAt: new Map(),
    reportedLimits: new Set(),
    counts: openLedgerCounts(context.metrics),
    timers: [],
    subscriptions: [],
  }
  try {
    if (options.adopted !== undefined) await adoptHolds(ledger, options.adopted)
    await beat(ledger)
  } catch (error) {
    await ledger.connection.end()
    throw error
  }
  ledger.timers.push(
    setInterval(() => maintainHolds(ledger), heartbeatMs),
    setInterval(() => queueHoldUpdates(ledger), holdUpdateIntervalMs),
    setInterval(() => startPosting(ledger), postIntervalMs),
  )
  ledger.subscriptions.push(
    news.subscribe(recallTopic, message => {
      if (isOfAccount(message)) releaseHeadroom(ledger, message.accountId)
    }),
  )
  return ledger
}

/** Time for which adopted holds wait for the reservations of their requests, in milliseconds. */
const claimTimeoutMs = 3_000

/** Number by which an adoption raises the number of the last flush: more flushes than the earlier process had in flight. */
const adoptionStep = 1_000_000n

/** Maximum number of attempts to adopt holds, and the delay between them, in milliseconds. */
const maxAdoptions = 20
const adoptionPauseMs = 100

/**
 * Continues the holds of a process that has ended, under its ID. Waits for a flush of it that Postgres is executing; a
 * later flush of it changes nothing. The amounts of the holds count as reserved until `continueReservation` claims them,
 * for at most `claimTimeoutMs`. Does nothing if the holds have lapsed.
 */
async function adoptHolds(ledger: Ledger, processId: string): Promise<void> {
  const flush = await takeOver(ledger, processId)
  if (flush === undefined) return
  ledger.processId = processId
  ledger.flushNumber = flush
  ledger.isRegistered = true
  for (const row of await readHolds(ledger, processId)) {
    const hold = holdOf(ledger, row)
    hold.id = row.id
    hold.amountNanos = hold.rowNanos = hold.reservedNanos = row.amountNanos
    hold.unpostedModel = row.unpostedModel ?? undefined
    ledger.unclaimed.set(hold, row.amountNanos)
  }
  setTimeout(() => dropUnclaimed(ledger), claimTimeoutMs).unref()
}

/** Takes over a process's row. Resolves to the number of its last flush; undefined if the row no longer exists. */
async function takeOver({ connection }: Ledger, processId: string): Promise<bigint | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const [row] = await connection.run(
        sql => sql<{ flush: bigint }[]>`
          update processes set flush = flush + ${adoptionStep}, heartbeat_at = clock_timestamp()
          where id = ${processId} returning flush`,
      )
      return row?.flush
    } catch (error) {
      if (!isTransient(error) || attempt === maxAdoptions) throw error
      await sleep(adoptionPauseMs)
    }
  }
}

/**
 * Reads the holds of a process. A deleted budget limits nothing, but its ID distinguishes the hold from
 * others of the key, and requests that restate their reservations name it.
 */
async function readHolds({ connection }: Ledger, processId: string): Promise<AdoptedHold[]> {
  const rows = await connection.run(
    sql => sql<AdoptedHold[]>`
      select h.id, h.account_id as "accountId", h.key_id as "keyId", h.amount_nanos as "amountNanos",
        h.unposted_model as "unpostedModel",
        (select json_agg(json_build_object('id', i.id, 'kind', coalesce(b.kind, 'account'),
            'key', coalesce(b.key, ''), 'value', coalesce(b.value, '')) order by i.turn)
          from unnest(h.budget_ids) with ordinality i (id, turn)
          left join budgets b on b.account_id = h.account_id and b.id = i.id) as budgets
      from holds h where h.process_id = ${processId}`,
  )
  return rows.map(row => ({ ...row, budgets: row.budgets ?? undefined }))
}

interface AdoptedHold extends HoldOwner {
  id: string
  amountNanos: bigint
  unpostedModel: string | null
}

/** Releases the amounts of adopted holds that no request has claimed. */
function dropUnclaimed(ledger: Ledger): void {
  for (const [hold, amountNanos] of ledger.unclaimed) {
    hold.reservedNanos -= amountNanos
    hold.isStale = true
    queueHoldUpdate(ledger, hold)
  }
  ledger.unclaimed.clear()
}

/** Maximum time for which a closing ledger waits for background work, in milliseconds. */
const closeTimeoutMs = 5_000

/** Waits for work in progress, releases every hold and removes the process's row. */
export async function closeLedger(ledger: Ledger): Promise<void> {
  await ledger.commits.idle()
  while (ledger.settling.size > 0) await sleep(20)
  await Promise.race([Promise.all(ledger.unfinished), sleep(closeTimeoutMs, undefined, { ref: false })])
  for (const timer of ledger.timers) clearInterval(timer)
  for (const unsubscribe of ledger.subscriptions) unsubscribe()
  await ledger.commits.idle()
  await ledger.posting
  const { sql } = ledger.context
  await sql`update processes set heartbeat_at = '-infinity' where id = ${ledger.processId}`
  await sql`select lapse_holds(${`${lapseAfterMs} ms`}::interval)`
  await ledger.connection.end()
}

/**
 * Runs once per heartbeat interval: sends a heartbeat unless a flush was just sent, releases idle headroom and
 * forgets idle holds.
 */
function maintainHolds(ledger: Ledger): void {
  const { clock, log } = ledger.context
  const now = clock.monotonic()
  if (ledger.trustedUntil - trustMs < now - heartbeatMs / 2)
    beat(ledger).catch(error => log.warn({ err: error }, 'heartbeat failed'))
  ledger.recalledAt.clear()
  ledger.reportedLimits.clear()
  const empty: Hold[] = []
  for (const hold of ledger.holds.values()) {
    const idleMs = hold.budgets ? idleBudgetedMs : idleHeadroomMs
    if (now - hold.usedAt < idleMs || hold.reservedNanos > 0n || hold.waiters.length > 0) continue
    if (hold.amountNanos === 0n) empty.push(hold)
    else releaseFreeAmount(ledger, hold)
  }
  if (empty.length > 0) forget(ledger, empty)
}

/** Drops the holds of keys that are no longer used. If a key is used again, it gets a new hold. */
function forget(ledger: Ledger, holds: Hold[]): void {
  for (const hold of holds) ledger.holds.delete(holdName(hold))
  const accountIds = holds.map(hold => hold.accountId)
  const ids = holds.map(hold => hold.id)
  ledger.context.sql`
    delete from holds where account_id = any(${accountIds}) and id = any(${ids}) and amount_nanos = 0
      and unposted_day is null`.catch(error =>
    ledger.context.log.warn({ err: error }, 'deleting idle holds failed'),
  )
}

/** Posts collected charges, unless a post is in progress. */
function startPosting(ledger: Ledger): void {
  ledger.posting ??= postHolds(ledger).finally(() => {
    ledger.posting = undefined
  })
}

/**
 * Updates rows whose reserved amount has changed, so that a long request is visible in `held`. Rejects requests and
 * settlements that have waited too long.
 */
function queueHoldUpdates(ledger: Ledger): void {
  const now = ledger.context.clock.monotonic()
  for (const hold of ledger.holds.values()) {
    if (hold.waiters.length > 0) rejectExpiredWaiters(ledger, hold)
    if (hold.reservedNanos !== hold.shownNanos && !hold.growing) queueHoldUpdate(ledger, hold)
  }
  for (const item of ledger.settling) {
    if (now - item.since <= answerTimeoutMs) break
    if (!item.isGivenUp) item.giveUp()
  }
}

function isOfAccount(message: unknown): message is { accountId: string } {
  return typeof message === 'object' && message !== null && 'accountId' in message
}
