import { setTimeout as sleep } from 'node:timers/promises'
import { GroupCommit } from '../../platform/group-commit.ts'
import { openDedicatedConnection } from '../../platform/postgres/dedicated-connection.ts'
import type { Context } from '../context.ts'
import { commitBatch } from './commit-queue.ts'
import { rejectExpiredWaiters } from './grow-hold.ts'
import { type Hold, holdName } from './hold.ts'
import type { CommitItem } from './ledger.ts'
import {
  answerTimeoutMs,
  heartbeatMs,
  holdUpdateIntervalMs,
  idleBudgetedMs,
  idleHeadroomMs,
  type Ledger,
  lapseAfterMs,
  postIntervalMs,
  trustMs,
} from './ledger.ts'
import { postHolds } from './post-holds.ts'
import { beat } from './process-row.ts'
import { queueHoldUpdate, recallTopic, releaseFreeAmount, releaseHeadroom } from './recall-headroom.ts'

/**
 * Opens the ledger of this process: its row in `processes`, its commit queue and its timers. Throws `unavailable` if
 * Postgres does not respond.
 */
export async function openLedger(context: Context, options: { kind: string }): Promise<Ledger> {
  const { config, ids, news } = context
  const ledger: Ledger = {
    context,
    kind: options.kind,
    processId: ids.uuid(),
    isRegistered: false,
    flushNumber: 0n,
    holds: new Map(),
    connection: openDedicatedConnection({ url: config.databaseUrl, name: `${options.kind}-ledger` }),
    commits: new GroupCommit((items: CommitItem[]) => commitBatch(ledger, items)),
    contested: new Set(),
    settling: new Set(),
    unfinished: new Set(),
    shortHolds: new Map(),
    trustedUntil: -Infinity,
    beating: undefined,
    posting: undefined,
    recalledAt: new Map(),
    reportedLimits: new Set(),
    timers: [],
    subscriptions: [],
  }
  try {
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
