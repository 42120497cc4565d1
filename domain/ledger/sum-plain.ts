import { dayMs } from '../../platform/clock.ts'
import type { Column } from '../../platform/postgres/row-text.ts'
import type { Hold } from './hold.ts'
import { clean, momentOf, type RequestRecord, tokensOf } from './request-record.ts'
import type { Batch, HoldTarget } from './send-batch.ts'

/**
 * Maximum number of growths in a plain batch. Holds grow in it one after the other: 500 growths took 290 ms, and 19 ms with
 * grow_holds.
 */
const maxGrowths = 16

/** The totals of a plain batch, so that Postgres does not have to calculate them. */
export interface PlainRows {
  /** The day (UTC) on which all requests arrived. */
  day: string
  /** The changes of its holds, with the usage that they collect: rows of type `hold_change`. */
  changes: Column[][]
  /** The usage that holds do not collect: rows of type `usage_sum`. */
  used: Column[][]
  /** The holds that collect usage, with the model of it. */
  collected: ReadonlyMap<Hold, string>
}

interface Figures {
  requests: number
  failed: number
  tokens: number[]
  costNanos: bigint
}

/** The totals of requests of one key, model, end user and metadata. */
interface UsageSum extends Figures {
  record: RequestRecord
  model: string
  endUser: string | null
  metadata: string | null
}

/** A hold of the batch, and the totals of its requests. */
interface HoldSum {
  target: HoldTarget
  costNanos: bigint
  /** The usage that the hold collects: of one model, without end user and metadata. */
  collected: UsageSum | undefined
}

/**
 * Returns the totals of a plain batch: all of its requests arrived on `day` (UTC) and use holds of the batch that have
 * rows, at most `maxGrowths` holds grow, and none of them was short of money before. Returns undefined for other batches.
 */
export function sumPlain({ charges, targets, asks }: Batch, day: string): PlainRows | undefined {
  if (charges.length + asks.length === 0 || asks.length > maxGrowths) return undefined
  if (asks.some(({ isShort }) => isShort)) return undefined
  const midnight = Date.parse(day)
  const holds = new Map<string, HoldSum>(
    targets.map(target => [nameOf(target), { target, costNanos: 0n, collected: undefined }]),
  )
  const others = new Map<string, UsageSum>()
  for (const { item, holdId } of charges) {
    const { record } = item
    const paying = item.reservation?.hold
    const hold = holds.get(paying?.budgets ? paying.id : record.keyId)
    if (!hold || (holdId && holdId !== hold.target.holdId) || mayHaveNoRow(hold.target)) return undefined
    const sinceMidnight = momentOf(record) - midnight
    if (!(sinceMidnight >= 0 && sinceMidnight < dayMs)) return undefined
    hold.costNanos += record.costNanos
    add(hold, others, record)
  }
  const changed = [...holds.values()].filter(({ target }) => !mayHaveNoRow(target)).sort(inLockOrder)
  return {
    day,
    changes: changed.map(changeOf),
    used: Array.from(others.values(), sum => [
      day,
      sum.model,
      sum.endUser,
      sum.metadata,
      ...figuresOf(sum),
      sum.record.accountId,
      sum.record.keyId,
    ]),
    collected: new Map(
      changed.flatMap(({ target, collected }) => (collected ? [[target.hold, collected.model]] : [])),
    ),
  }
}

/** Returns the name of a hold within a batch. A key has one hold without budgets. */
function nameOf({ hold, holdId }: HoldTarget): string {
  return hold.budgets ? holdId : hold.keyId
}

/** Whether the hold may have no row: a hold without growth has none, because free requests need none. */
function mayHaveNoRow({ beforeNanos, amountNanos }: HoldTarget): boolean {
  return beforeNanos === 0n && amountNanos === 0n
}

/** Compares holds in the order in which Postgres locks them: by account and ID. */
function inLockOrder({ target: one }: HoldSum, { target: other }: HoldSum): number {
  const [a, b] = [one.hold.accountId + one.holdId, other.hold.accountId + other.holdId]
  return a < b ? -1 : Number(a > b)
}

function changeOf({ target, costNanos, collected }: HoldSum): Column[] {
  const { hold, holdId, beforeNanos, amountNanos, inUseNanos } = target
  return [
    hold.accountId,
    holdId,
    beforeNanos,
    amountNanos,
    inUseNanos,
    costNanos,
    collected ? collected.model : null,
    ...figuresOf(collected ?? noFigures()),
  ]
}

/** Adds the usage of a request to its hold or, if the hold does not collect it, to the others. */
function add(hold: HoldSum, others: Map<string, UsageSum>, record: RequestRecord): void {
  const model = clean(record.model) ?? ''
  const endUser = clean(record.endUser) || null
  const { metadata } = record
  if (!endUser && !metadata) {
    const collects = hold.collected?.model ?? hold.target.hold.unpostedModel ?? model
    if (collects === model) {
      hold.collected ??= { ...noFigures(), record, model, endUser, metadata }
      count(hold.collected, record)
      return
    }
  }
  // Unambiguous, because IDs have a fixed length and texts have no NUL.
  const name = `${record.keyId}${model}\0${endUser ?? ''}\0${metadata ?? ''}`
  const sum = others.get(name) ?? { ...noFigures(), record, model, endUser, metadata }
  others.set(name, sum)
  count(sum, record)
}

function count(sum: UsageSum, record: RequestRecord): void {
  sum.requests++
  if (record.status >= 400 && record.status !== 499) sum.failed++
  const tokens = tokensOf(record.usage)
  for (let kind = 0; kind < tokens.length; kind++) sum.tokens[kind]! += tokens[kind]!
  sum.costNanos += record.costNanos
}

function noFigures(): Figures {
  return { requests: 0, failed: 0, tokens: [0, 0, 0, 0, 0], costNanos: 0n }
}

function figuresOf({ requests, failed, tokens, costNanos }: Figures): Column[] {
  return [requests, failed, ...tokens, costNanos]
}
