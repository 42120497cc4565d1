import { openPauses } from '../../platform/pauses.ts'
import { type Column, rowsText } from '../../platform/postgres/row-text.ts'
import { isLockTimeout, isOfOneRow, isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Grant } from './grow-hold.ts'
import type { Settlement } from './ledger.ts'
import { type Ledger, trustMs } from './ledger.ts'
import { forgetLapsedHolds, register } from './process-row.ts'
import { chargeOf, releaseUnanswered } from './request-record.ts'
import { splitBatch } from './split-batch.ts'
import { type PlainRows, sumPlain } from './sum-plain.ts'

/** The rows of one statement. */
export interface Batch {
  charges: Charge[]
  targets: Target[]
  asks: Ask[]
}

export interface Charge {
  item: Settlement
  /** The hold that pays; undefined where nothing is charged. */
  holdId: string | undefined
  /** What it took out of its hold in memory; it may cost nothing by now. */
  takenNanos: bigint
}

/** What the row of a hold shall be. */
export interface Target {
  accountId: string
  keyId: string
  holdId: string
  /** What the row says until then, as far as this process knows. */
  beforeNanos: bigint
  amountNanos: bigint
  inUseNanos: bigint
}

export interface Ask {
  holdId: string
  row: Column[]
}

/** What was committed; a request that is missing in the outcomes, or a hold in the grants, was refused by Postgres. */
export interface BatchAnswer {
  outcomes: Record<string, 'settled' | 'lapsed'> | null
  grants: Record<string, Grant> | null
  /** Accounts that others have locked: none of their rows was touched. */
  busy: string[] | null
  /** Postgres refuses the statement, not a row of it: a fault of ours. */
  isRefused?: boolean
}

interface FlushAnswer extends Omit<BatchAnswer, 'outcomes'> {
  state: 'committed' | 'stale' | 'unknown'
  /** `settled`: of every request. */
  outcomes: BatchAnswer['outcomes'] | 'settled'
}

interface FlushOptions {
  number: bigint
  /** Under which the same batch was sent first. */
  firstNumber: bigint
  waitsForNobody: boolean
  plain: PlainRows | undefined
}

/** The first and the longest pause before a batch is sent again, in milliseconds. */
const firstPauseMs = 20
const longestPauseMs = 160

/**
 * Sends a batch as one statement, and again under a new number after each transient error, until it commits. Postgres
 * takes none that is older than the last, charges are unique on their request, and targets state amounts, so nothing is
 * done twice. Most batches are sent as plain ones first (settle_hold, settle_holds). A row at fault is found by halves and
 * left out.
 */
export async function sendBatch(ledger: Ledger, batch: Batch): Promise<BatchAnswer> {
  const { log, clock } = ledger.context
  let sent = batch
  let firstNumber: bigint | undefined
  let waitsForNobody = false
  const pause = openPauses({
    log,
    warning: 'ledger statement is still sent again',
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
      const answer = await flush(ledger, sent, { number, firstNumber, waitsForNobody, plain })
      if (answer.state === 'committed') {
        ledger.trustedUntil = sentAt + trustMs
        rememberContested(ledger, sent, answer)
        return answer
      }
      if (answer.state === 'unknown') {
        forgetLapsedHolds(ledger)
        // What asked to grow counted on a hold that is gone: it asks again.
        sent = { ...sent, asks: [] }
      }
    } catch (error) {
      if (isOfOneRow(error)) {
        if (plain) continue
        return sendParts(ledger, sent, error)
      }
      if (isLockTimeout(error) && !waitsForNobody) {
        waitsForNobody = true
        continue
      }
      if (!isTransient(error)) {
        log.error({ err: error, requests: sent.charges.map(idOf) }, 'ledger statement refused')
        return { outcomes: null, grants: null, busy: null, isRefused: true }
      }
      // What was committed of it left out accounts that others had locked: each charge is looked for by itself.
      if (waitsForNobody || ledger.contested.size > 0) firstNumber = undefined
      await pause(error)
      for (const { item } of sent.charges) releaseUnanswered(item)
    }
  }
}

async function flush(
  ledger: Ledger,
  { charges, targets, asks }: Batch,
  { number, firstNumber, waitsForNobody, plain }: FlushOptions,
): Promise<BatchAnswer & Pick<FlushAnswer, 'state'>> {
  const chargeRows = charges.map(({ item: { record }, holdId }) =>
    chargeOf(record, record.costNanos > 0n ? holdId : undefined),
  )
  const targetRows = (plain ? [] : targets).map(target => [
    target.accountId,
    target.holdId,
    target.amountNanos,
    target.inUseNanos,
  ])
  const accounts = accountsOf({ charges, targets })
  const contested = [...(waitsForNobody ? accounts : ledger.contested)].filter(id => accounts.has(id))
  const [row] = await ledger.connection.run(
    sql => sql<{ answer: FlushAnswer }[]>`
    select flush_ledger(${ledger.processId}, ${number}, ${firstNumber}, ${rowsText(chargeRows)}::text::charge[],
      ${rowsText(targetRows)}::text::hold_target[], ${rowsText(asks.map(ask => ask.row))}::text::hold_ask[],
      ${`{${contested.join(',')}}`}::text::uuid[], ${rowsText(plain?.used ?? [])}::text::usage_sum[],
      ${rowsText(plain?.changes ?? [])}::text::hold_change[]) as answer`,
  )
  if (!row) throw new Error('a flush had no answer')
  const { outcomes } = row.answer
  if (outcomes !== 'settled') return { ...row.answer, outcomes }
  return { ...row.answer, outcomes: Object.fromEntries(charges.map(charge => [idOf(charge), 'settled'])) }
}

/** An account stays contested until a flush that carries rows of it could lock it. */
function rememberContested(ledger: Ledger, batch: Batch, { busy }: BatchAnswer): void {
  if (ledger.contested.size > 0) for (const accountId of accountsOf(batch)) ledger.contested.delete(accountId)
  for (const accountId of busy ?? []) ledger.contested.add(accountId)
}

/** The accounts that a flush locks: those of the holds, which are of whoever asks to grow too, and of the requests. */
function accountsOf({ charges, targets }: Pick<Batch, 'charges' | 'targets'>): Set<string> {
  const accounts = new Set(targets.map(({ accountId }) => accountId))
  for (const { item } of charges) accounts.add(item.record.accountId)
  return accounts
}

/**
 * Sends the parts of a batch that Postgres refuses, one after the other; what cannot be parted is left out. Once an
 * account is busy, its rows in later parts are not sent: they state what its holds shall be after the earlier ones.
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
  const targets = batch.targets.filter(({ accountId }) => isLeft(accountId))
  return {
    charges: batch.charges.filter(({ item }) => isLeft(item.record.accountId)),
    targets,
    asks: batch.asks.filter(({ holdId }) => targets.some(target => target.holdId === holdId)),
  }
}

function idOf({ item }: Charge): string {
  return item.record.requestId
}
