import type { Context } from '../../domain/context.ts'
import {
  countRequests,
  listRequests,
  positionOfRequest,
  requestOrder,
} from '../../domain/logs/list-requests.ts'
import type { RequestFilter } from '../../domain/logs/request-filter.ts'
import { findRequest } from '../../domain/logs/request-log.ts'
import { listUsage, type UsageDimension, type UsageFilter } from '../../domain/usage/list-usage.ts'
import { usagePerKey } from '../../domain/usage/usage-per-key.ts'
import { dayMs } from '../../platform/clock.ts'
import type { KeysetOrder, Position } from '../../platform/postgres/keyset.ts'

/** A question by its name; asked, it resolves to how many rows came. */
export type Question = [name: string, ask: () => Promise<number>]

/** The queries of a console on a long log. Each resolves to its number of rows. */
export function questionsOf(
  context: Pick<Context, 'sql' | 'clock'>,
  { accountId, keyIds }: { accountId: string; keyIds: readonly string[] },
): Question[] {
  const page = async (filter: RequestFilter, order?: KeysetOrder, after?: Position) => {
    const slice = { limit: 21, after }
    return (await listRequests(context, { accountId, filter, slice, ...(order && { order }) })).requests
  }
  const usage = async (groupBy: UsageDimension[], filter: UsageFilter = {}) =>
    (await listUsage(context, { accountId, filter, groupBy, slice: { limit: 101 } })).length
  const daysAgo = (days: number) => new Date(context.clock.now() - days * dayMs)
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const failed = [{ lowest: 400, highest: 499 }]
  const [key = '', ...others] = keyIds

  return [
    ['the first page', async () => (await page({})).length],
    ['a page of 40 days ago', async () => (await page({ until: daysAgo(40) })).length],
    [
      'the page behind a cursor',
      async () => {
        const last = (await page({ until: daysAgo(20) })).at(-1)
        return last ? (await page({}, undefined, positionOfRequest(last, requestOrder()))).length : 0
      },
    ],
    ['the failed ones', async () => (await page({ statuses: failed })).length],
    ['those of a key', async () => (await page({ keyIds: [key] })).length],
    ['those of several keys', async () => (await page({ keyIds: others.slice(0, 5) })).length],
    ['those of a model', async () => (await page({ models: ['vendor_a/model-3'] })).length],
    [
      'those of a model with three requests a month ago',
      async () => (await page({ models: ['vendor_a/rare'] })).length,
    ],
    ['those of an end user', async () => (await page({ endUsers: ['user 77'] })).length],
    ['those of an end user who is none', async () => (await page({ endUsers: ['nobody'] })).length],
    ['those that cost more than any', async () => (await page({ minCostNanos: 1_000_000n })).length],
    ['the dearest of 24 hours', async () => (await page({}, requestOrder('cost'))).length],
    [
      'one by its id',
      async () => {
        const [first] = await page({ until: daysAgo(15) })
        return first && (await findRequest(context, { accountId, requestId: first.id })) ? 1 : 0
      },
    ],
    ['how many there are, to 100,000', () => countRequests(context, { accountId, filter: {}, max: 100_000 })],
    ['usage by day', () => usage(['day'])],
    ['usage by day of a key', () => usage(['day'], { keyIds: [key] })],
    ['usage by model, of a week', () => usage(['model'], { since: day(daysAgo(7)) })],
    ['usage by end user, of a day', () => usage(['end_user'], { since: day(daysAgo(0)) })],
    ['usage by day, model and key', () => usage(['day', 'model', 'api_key'])],
    [
      'usage of 20 keys, of a month',
      async () => (await usagePerKey(context, { accountId, keyIds, period: 'month' })).length,
    ],
  ]
}
