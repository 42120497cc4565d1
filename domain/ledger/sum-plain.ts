import { dayMs } from '../../platform/clock.ts'
import type { Column } from '../../platform/postgres/row-text.ts'
import { budgetIdsOf } from './hold.ts'
import { clean, momentOf, type RequestRecord, tokensOf } from './request-record.ts'
import type { Batch, HoldTarget } from './send-batch.ts'

/** The totals of a plain batch, so that Postgres does not have to calculate them. */
export interface PlainRows {
  /** The amounts added to the usage counters: rows of type `usage_sum`. */
  used: Column[][]
  /** The changes of its holds: rows of type `hold_change`. */
  changes: Column[][]
  /** The changes of their budgets: rows of type `budget_change`. */
  budgets: Column[][]
}

/** The totals of requests of one key, model, end user and metadata. */
interface UsageSum {
  record: RequestRecord
  model: string
  endUser: string | null
  metadata: string | null
  requests: number
  failed: number
  tokens: number[]
  costNanos: bigint
}

/**
 * Returns the totals of a plain batch: all of its requests arrived on `day` (UTC) and use holds of the batch that have
 * rows, and at most one hold grows. Returns undefined for other batches.
 */
export function sumPlain({ charges, targets, asks }: Batch, day: string): PlainRows | undefined {
  if (asks.length > 1 || charges.length + asks.length === 0) return undefined
  const midnight = Date.parse(day)
  const holds = new Map(targets.map(target => [nameOf(target), { target, costNanos: 0n }]))
  const sums = new Map<string, UsageSum>()
  for (const { item, holdId } of charges) {
    const { record } = item
    const paying = item.reservation?.hold
    const hold = holds.get(paying?.budgets ? paying.id : record.keyId)
    if (!hold || (holdId && holdId !== hold.target.holdId) || mayHaveNoRow(hold.target)) return undefined
    const sinceMidnight = momentOf(record) - midnight
    if (!(sinceMidnight >= 0 && sinceMidnight < dayMs)) return undefined
    hold.costNanos += record.costNanos
    add(sums, record)
  }
  const changed = [...holds.values()].filter(({ target }) => !mayHaveNoRow(target))
  return {
    used: Array.from(
      sums.values(),
      ({ record, model, endUser, metadata, requests, failed, tokens, costNanos }) => [
        day,
        model,
        endUser,
        metadata,
        requests,
        failed,
        ...tokens,
        costNanos,
        record.accountId,
        record.keyId,
      ],
    ),
    changes: changed.map(({ target, costNanos }) => [
      target.accountId,
      target.holdId,
      target.keyId,
      target.beforeNanos,
      target.amountNanos,
      target.inUseNanos,
      costNanos,
    ]),
    budgets: changed
      .filter(({ target }) => target.budgets !== undefined)
      .map(({ target: { accountId, budgets, amountNanos, beforeNanos }, costNanos }) => [
        accountId,
        budgetIdsOf(budgets),
        amountNanos - beforeNanos,
        costNanos,
        null,
      ]),
  }
}

/** Returns the name of a hold within a batch. A key has one hold without budgets. */
function nameOf({ keyId, holdId, budgets }: HoldTarget): string {
  return budgets ? holdId : keyId
}

/** Whether the hold may have no row: a hold without growth has none, because free requests need none. */
function mayHaveNoRow({ beforeNanos, amountNanos }: HoldTarget): boolean {
  return beforeNanos === 0n && amountNanos === 0n
}

function add(sums: Map<string, UsageSum>, record: RequestRecord): void {
  const model = clean(record.model) ?? ''
  const endUser = clean(record.endUser) || null
  const { metadata } = record
  // Unambiguous, because IDs have a fixed length and texts have no NUL.
  const name = `${record.keyId}${model}\0${endUser ?? ''}\0${metadata ?? ''}`
  const tokens = tokensOf(record.usage)
  const failed = record.status >= 400 && record.status !== 499 ? 1 : 0
  const sum = sums.get(name)
  if (!sum) {
    sums.set(name, {
      record,
      model,
      endUser,
      metadata,
      requests: 1,
      failed,
      tokens,
      costNanos: record.costNanos,
    })
    return
  }
  sum.requests++
  sum.failed += failed
  for (let kind = 0; kind < tokens.length; kind++) sum.tokens[kind]! += tokens[kind]!
  sum.costNanos += record.costNanos
}
