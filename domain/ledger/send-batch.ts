import { openPauses } from '../../platform/pauses.ts'
import { type Column, rowsText } from '../../platform/postgres/row-text.ts'
import { isLockTimeout, isOfOneRow, isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Grant } from './grow-hold.ts'
import type { Hold } from './hold.ts'
import type { Settlement } from './ledger.ts'
import { type Ledger, trustMs } from './ledger.ts'
import { forgetLapsedHolds, register } from './process-row.ts'
import { chargeOf, releaseUnanswered } from './request-record.ts'
import { splitBatch } from './split-batch.ts'
import { type PlainRows, sumPlain } from './sum-plain.ts'

/** The rows of one statement. */
export interface Batch {
  charges: Charge[]
  targets: HoldTarget[]
  asks: Ask[]
}

export interface Charge {
  item: Settlement
  /** The hold that pays; undefined if nothing is charged. */
  holdId: string | undefined
  /** The amount subtracted from the hold in memory. The charge may be zero by now. */
  takenNanos: bigint
}

/** The state that the row of a hold must get. */
export interface HoldTarget {
  hold: Hold
  holdId: string
  /** The current amount in the row, as far as this process knows. */
  beforeNanos: bigint
  amountNanos: bigint
  inUseNanos: bigint
}

export interface Ask {
  holdId: string
  /** Whether balance, cap or a budget was too low for the last growth. */
  isShort: boolean
  row: Column[]
}

/** The committed results. Postgres refused each request without an outcome and each hold without a grant. */
export interface BatchAnswer {
  outcomes: Record<string, 'settled' | 'lapsed'> | null
  grants: Record<string, Grant> | null
  /** Accounts that other transactions have locked. None of their rows was changed. */
  busy: string[] | null
  /** Whether Postgres refused the whole statement, which means a fault of our own. */
  isRefused?: boolean
}

interface FlushAnswer extends Omit<BatchAnswer, 'outcomes'> {
  state: 'committed' | 'stale' | 'unknown'
  /** `settled` if every request is settled. */
  outcomes: BatchAnswer['outcomes'] | 'settled'
}

interface FlushOptions {
  number: bigint
  /** The number under which the same batch was first sent. */
  firstNumber: bigint
  skipsLocked: boolean
  plain: PlainRows | undefined
}

/** Minimum and maximum delay before a batch is sent again, in milliseconds. */
const firstPauseMs = 20
const longestPauseMs = 160

/**
 * Sends a batch as one statement, and again under a new number after each transient error, until it commits. Nothing
 * is done twice: Postgres ignores a batch that is older than the last one, charges are unique per request, and
 * targets state amounts. Most batches are sent as plain batches first (collect_charges). An invalid row is found by
 * bisection and left out.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop, whose parts would each be another promise
export async function sendBatch(ledger: Ledger, batch: Batch): Promise<BatchAnswer> {
  const { log, clock } = ledger.context
  let sent = batch
  let firstNumber: bigint | undefined
  let skipsLocked = false
  const pause = openPauses({
    log,
    warning: 'ledger statement is still being retried',
    details: { requests: batch.charges.length },
    firstMs: firstPauseMs,
    longestMs: longestPauseMs,
  })
  for (let attempt = 0; ; attempt++) {
    const sentAt = clock.monotonic()
    const mayBePlain = attempt === 0 && ledger.contested.size === 0
    let plain: PlainRows | undefined
    try {
      await register(ledger)
      const number = ++ledger.flushNumber
      firstNumber ??= number
      if (mayBePlain) plain = sumPlain(sent, new Date(clock.now()).toISOString().slice(0, 10))
      const answer = await flush(ledger, sent, { number, firstNumber, skipsLocked, plain })
      if (answer.state === 'committed') {
        ledger.trustedUntil = sentAt + trustMs
        rememberContested(ledger, sent, answer)
        if (plain) rememberCollected(plain, clock.monotonic())
        return answer
      }
      if (answer.state === 'unknown') {
        forgetLapsedHolds(ledger)
        // The growths were for holds that have lapsed: they are requested again.
        sent = { ...sent, asks: [] }
      }
    } catch (error) {
      const next = nextAfter(error, { wasPlain: plain !== undefined, skipsLocked })
      ledger.counts.retries.of(next).value += 1
      switch (next) {
        case 'send rows':
          break
        case 'skip locked':
          skipsLocked = true
          break
        case 'split':
          return sendParts(ledger, sent, error)
        case 'refuse':
          log.error({ err: error, requests: sent.charges.map(idOf) }, 'ledger statement refused')
          return { outcomes: null, grants: null, busy: null, isRefused: true }
        case 'wait':
          // An earlier attempt may have skipped locked accounts, so Postgres must look up each charge individually.
          if (skipsLocked || ledger.contested.size > 0) firstNumber = undefined
          await pause(error)
          for (const { item } of sent.charges) releaseUnanswered(item)
      }
    }
  }
}

/** Returns how a batch continues after an error. */
function nextAfter(
  error: unknown,
  { wasPlain, skipsLocked }: { wasPlain: boolean; skipsLocked: boolean },
): 'send rows' | 'split' | 'skip locked' | 'wait' | 'refuse' {
  if (isOfOneRow(error)) return wasPlain ? 'send rows' : 'split'
  if (isLockTimeout(error) && !skipsLocked) return 'skip locked'
  return isTransient(error) ? 'wait' : 'refuse'
}

async function flush(
  ledger: Ledger,
  { charges, targets, asks }: Batch,
  { number, firstNumber, skipsLocked, plain }: FlushOptions,
): Promise<BatchAnswer & Pick<FlushAnswer, 'state'>> {
  const chargeRows = charges.map(({ item: { record, reservation }, holdId }) =>
    chargeOf(record, record.costNanos > 0n ? holdId : undefined, reservation?.hold.budgets),
  )
  const targetRows = (plain ? [] : targets).map(target => [
    target.hold.accountId,
    target.holdId,
    target.amountNanos,
    target.inUseNanos,
  ])
  const accounts = accountsOf({ charges, targets })
  const contested = [...(skipsLocked ? accounts : ledger.contested)].filter(id => accounts.has(id))
  const [row] = await ledger.connection.run(
    sql => sql<{ answer: FlushAnswer }[]>`
    select flush_ledger(${ledger.processId}, ${number}, ${firstNumber}, ${rowsText(chargeRows)}::text::charge[],
      ${rowsText(targetRows)}::text::hold_target[], ${rowsText(asks.map(ask => ask.row))}::text::hold_ask[],
      ${`{${contested.join(',')}}`}::text::uuid[], ${plain !== undefined}, ${plain?.day ?? null}::text::date,
      ${rowsText(plain?.used ?? [])}::text::usage_sum[], ${rowsText(plain?.changes ?? [])}::text::hold_change[]
    ) as answer`,
  )
  if (!row) throw new Error('flush_ledger returned no row')
  const { outcomes } = row.answer
  if (outcomes !== 'settled') return { ...row.answer, outcomes }
  return { ...row.answer, outcomes: Object.fromEntries(charges.map(charge => [idOf(charge), 'settled'])) }
}

/** Stores the models whose usage the holds of a committed batch have collected. */
function rememberCollected({ collected }: PlainRows, now: number): void {
  for (const [hold, model] of collected) {
    hold.unpostedModel = model
    hold.collectedAt = now
  }
}

/** Updates the contested accounts. An account stays contested until a flush with rows of it can lock it. */
function rememberContested(ledger: Ledger, batch: Batch, { busy }: BatchAnswer): void {
  if (ledger.contested.size > 0) for (const accountId of accountsOf(batch)) ledger.contested.delete(accountId)
  for (const accountId of busy ?? []) ledger.contested.add(accountId)
}

/**
 * Returns the accounts that a flush locks: the accounts of its requests and of its holds, which include all growing
 * ones.
 */
function accountsOf({ charges, targets }: Pick<Batch, 'charges' | 'targets'>): Set<string> {
  const accounts = new Set(targets.map(({ hold }) => hold.accountId))
  for (const { item } of charges) accounts.add(item.record.accountId)
  return accounts
}

/**
 * Sends the parts of a refused batch one after the other. A part that cannot be split is left out. If an account is
 * locked, its rows in later parts are not sent, because they state amounts that follow from the earlier rows.
 */
async function sendParts(ledger: Ledger, batch: Batch, error: unknown): Promise<BatchAnswer> {
  const parts = splitBatch(batch)
  if (parts.length === 0) {
    const { log } = ledger.context
    const requests = batch.charges.map(idOf)
    log.error({ err: error, requests, holds: batch.asks.map(ask => ask.holdId) }, 'ledger row refused')
  }
  let whole: BatchAnswer = { outcomes: null, grants: {}, busy: null }
  for (const part of parts) {
    const answer = await sendBatch(ledger, withoutAccounts(part, whole.busy))
    whole = {
      outcomes: { ...whole.outcomes, ...answer.outcomes },
      grants: { ...whole.grants, ...answer.grants },
      busy: [...(whole.busy ?? []), ...(answer.busy ?? [])],
      isRefused: whole.isRefused === true || answer.isRefused === true,
    }
  }
  return whole
}

function withoutAccounts(batch: Batch, accountIds: string[] | null): Batch {
  if (!accountIds?.length) return batch
  const isLeft = (accountId: string) => !accountIds.includes(accountId)
  const targets = batch.targets.filter(({ hold }) => isLeft(hold.accountId))
  return {
    charges: batch.charges.filter(({ item }) => isLeft(item.record.accountId)),
    targets,
    asks: batch.asks.filter(({ holdId }) => targets.some(target => target.holdId === holdId)),
  }
}

function idOf({ item }: Charge): string {
  return item.record.requestId
}
