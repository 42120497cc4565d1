import { GroupCommit } from '../../platform/group-commit.ts'
import { openLine } from '../../platform/postgres/open-line.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { beat } from './heartbeat.ts'
import type { Hold } from './hold.ts'
import type { LaneItem } from './lane.ts'
import {
  heartbeatMs,
  idleRoomMs,
  type Ledger,
  lapseAfterMs,
  reserveTimeoutMs,
  showAfterMs,
} from './ledger.ts'
import { commitLane } from './money-lane.ts'
import { giveBack, giveBackRoom, recallTopic } from './recall-room.ts'
import { showHold } from './show-hold.ts'

/**
 * Opens this process's side of the ledger: its row in `processes`, its lane, and the timers that keep both honest.
 * Throws `unavailable` when Postgres does not answer.
 */
export async function openLedger(context: Context, options: { kind: string }): Promise<Ledger> {
  const { config, clock, log, ids } = context
  const processId = ids.uuid()
  const line = openLine({ url: config.databaseUrl, name: `${options.kind}-ledger` })
  const lane: Ledger['lane'] = new GroupCommit((items: LaneItem[]) =>
    commitLane({ line, log, clock, processId, giveBack: hold => showHold(ledger, hold) }, items),
  )
  const ledger: Ledger = {
    context,
    processId,
    kind: options.kind,
    holds: new Map(),
    line,
    lane,
    trustedUntil: 0,
    beating: undefined,
    recalledAt: new Map(),
    timers: [],
    subscriptions: [],
  }
  await beat(ledger)
  ledger.timers.push(
    setInterval(() => tendHolds(ledger), heartbeatMs),
    setInterval(() => showHolds(ledger), showAfterMs),
  )
  ledger.subscriptions.push(
    context.news.subscribe(recallTopic, message => {
      if (isOfAccount(message)) giveBackRoom(ledger, message.accountId)
    }),
  )
  return ledger
}

/** Waits for what is under way, gives back every hold, and leaves. */
export async function closeLedger(ledger: Ledger): Promise<void> {
  for (const timer of ledger.timers) clearInterval(timer)
  for (const unsubscribe of ledger.subscriptions) unsubscribe()
  await ledger.lane.idle()
  const { sql } = ledger.context
  await sql`update processes set heartbeat_at = '-infinity' where id = ${ledger.processId}`
  await sql`select lapse_holds(${`${lapseAfterMs} ms`}::interval)`
  await ledger.line.end()
}

/** Once a heartbeat: says that we live, refuses who waited too long, gives back idle room, forgets idle holds. */
function tendHolds(ledger: Ledger): void {
  beat(ledger).catch(error => ledger.context.log.warn({ err: error }, 'heartbeat failed'))
  const now = ledger.context.clock.now()
  ledger.recalledAt.clear()
  const empty: Hold[] = []
  for (const hold of ledger.holds.values()) {
    refuseLate(hold, now)
    if (now - hold.usedAt < idleRoomMs || hold.reservedNanos > 0n || hold.waiters.length > 0) continue
    if (hold.amountNanos === 0n) empty.push(hold)
    else giveBack(ledger, hold)
  }
  if (empty.length > 0) forget(ledger, empty)
}

function refuseLate(hold: Hold, now: number): void {
  const late = hold.waiters.filter(waiter => now - waiter.since > reserveTimeoutMs)
  if (late.length === 0) return
  hold.waiters = hold.waiters.filter(waiter => !late.includes(waiter))
  for (const waiter of late) waiter.refuse(new Problem('unavailable', { retryAfterSeconds: 1 }))
}

/** Drops holds of keys that are not used any more; a key that comes back gets a new one. */
function forget(ledger: Ledger, holds: Hold[]): void {
  for (const hold of holds) ledger.holds.delete(hold.keyId)
  const accountIds = holds.map(hold => hold.accountId)
  const ids = holds.map(hold => hold.id)
  ledger.context.sql`
    delete from holds where account_id = any(${accountIds}) and id = any(${ids}) and amount_nanos = 0`.catch(
    error => ledger.context.log.warn({ err: error }, 'idle holds were left behind'),
  )
}

/** Writes what is in use where a row shows another figure: a long request is then seen in `held`. */
function showHolds(ledger: Ledger): void {
  for (const hold of ledger.holds.values()) {
    if (hold.reservedNanos !== hold.shownNanos && !hold.growing) showHold(ledger, hold)
  }
}

function isOfAccount(message: unknown): message is { accountId: string } {
  return typeof message === 'object' && message !== null && 'accountId' in message
}
