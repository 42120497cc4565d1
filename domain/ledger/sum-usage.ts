import type { Column } from '../../platform/postgres/row-text.ts'
import { clean, momentOf, type RequestRecord, tokensOf } from './request-record.ts'
import type { Batch } from './send-batch.ts'

/** What requests of one model and end user come to. */
interface UsageSum {
  model: string
  endUser: string | null
  requests: number
  failed: number
  tokens: number[]
  costNanos: bigint
}

/**
 * What the requests of a batch add to the usage counters, as rows of type `usage_sum`, where settle_hold can settle it:
 * all of them arrived on `day` (UTC) and are of the one hold that it carries, and nothing grows. Nothing for other batches.
 */
export function sumUsage({ charges, targets, asks }: Batch, day: string): Column[][] {
  const [target, another] = targets
  if (!target || another || asks.length > 0) return []
  const midnight = Date.parse(day)
  const sums = new Map<string, UsageSum>()
  for (const { item, holdId } of charges) {
    const { record } = item
    const isOfHold = holdId === target.holdId || (!holdId && record.keyId === target.keyId)
    const sinceMidnight = momentOf(record) - midnight
    const isOfDay = sinceMidnight >= 0 && sinceMidnight < dayMs
    if (!isOfHold || !isOfDay) return []
    add(sums, record)
  }
  return Array.from(sums.values(), ({ model, endUser, requests, failed, tokens, costNanos }) => [
    day,
    model,
    endUser,
    requests,
    failed,
    ...tokens,
    costNanos,
  ])
}

const dayMs = 86_400_000

function add(sums: Map<string, UsageSum>, record: RequestRecord): void {
  const model = clean(record.model) ?? ''
  const endUser = clean(record.endUser) || null
  const name = `${model}\0${endUser ?? ''}` // no text has a NUL
  const tokens = tokensOf(record.usage)
  const failed = record.status >= 400 && record.status !== 499 ? 1 : 0
  const sum = sums.get(name)
  if (!sum) {
    sums.set(name, { model, endUser, requests: 1, failed, tokens, costNanos: record.costNanos })
    return
  }
  sum.requests++
  sum.failed += failed
  for (let kind = 0; kind < tokens.length; kind++) sum.tokens[kind]! += tokens[kind]!
  sum.costNanos += record.costNanos
}
