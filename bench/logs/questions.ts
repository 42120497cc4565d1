import type { Context } from '../../domain/context.ts'
import {
  countRequests,
  listRequests,
  positionOfRequest,
  requestOrder,
} from '../../domain/logs/list-requests.ts'
import type { RequestFilter } from '../../domain/logs/request-filter.ts'
import { findRequest, type RequestLog } from '../../domain/logs/request-log.ts'
import type { UsageDimension, UsageFilter } from '../../domain/usage/group-usage.ts'
import { listUsage } from '../../domain/usage/list-usage.ts'
import { usagePerKey } from '../../domain/usage/usage-per-key.ts'
import { dayMs } from '../../platform/clock.ts'
import type { KeysetOrder, Position } from '../../platform/postgres/keyset.ts'

/** A query by its name. Resolves to its number of rows. */
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
  const countPage = async (filter: RequestFilter, order?: KeysetOrder) => (await page(filter, order)).length
  const usage = async (groupBy: UsageDimension[], filter: UsageFilter = {}) => {
    const query = { accountId, filter, groupBy, metadataKey: 'team' }
    return (await listUsage(context, { ...query, slice: { limit: 101 } })).length
  }
  const daysAgo = (days: number) => new Date(context.clock.now() - days * dayMs)
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const pageAfterCursor = async () => {
    const last = (await page({ until: daysAgo(20) })).at(-1)
    return last ? (await page({}, undefined, positionOfRequest(last, requestOrder()))).length : 0
  }
  const byId = async () => {
    const [first] = await page({ until: daysAgo(15) })
    return first && (await findRequest(context, { accountId, requestId: first.id })) ? 1 : 0
  }
  const [key = '', ...others] = keyIds

  return [
    ['first page', () => countPage({})],
    ['page 40 days ago', () => countPage({ until: daysAgo(40) })],
    ['page after a cursor', pageAfterCursor],
    ['failed requests', () => countPage({ statuses: [{ lowest: 400, highest: 499 }] })],
    ['requests of a key', () => countPage({ keyIds: [key] })],
    ['requests of five keys', () => countPage({ keyIds: others.slice(0, 5) })],
    ['requests of a model', () => countPage({ models: ['vendor_a/model-3'] })],
    ['requests of a model with three, a month ago', () => countPage({ models: ['vendor_a/rare'] })],
    ['requests of an end user', () => countPage({ endUsers: ['user 77'] })],
    ['requests of an unknown end user', () => countPage({ endUsers: ['nobody'] })],
    ['requests above the highest cost', () => countPage({ minCostNanos: 1_000_000n })],
    ['most expensive requests of 24 hours', () => countPage({}, requestOrder('cost'))],
    ['request by ID', byId],
    ['number of requests, to 100,000', () => countRequests(context, { accountId, filter: {}, max: 100_000 })],
    ['usage by day', () => usage(['day'])],
    ['usage by day of a key', () => usage(['day'], { keyIds: [key] })],
    ['usage by model of a week', () => usage(['model'], { since: day(daysAgo(7)) })],
    ['usage by end user of a day', () => usage(['end_user'], { since: day(daysAgo(0)) })],
    ['usage by day, model and key', () => usage(['day', 'model', 'api_key'])],
    ['usage by team', () => usage(['metadata'])],
    ['usage by day of a team', () => usage(['day'], { metadata: { key: 'team', values: ['team 3'] } })],
    ['usage by team of an end user', () => usage(['metadata'], { endUsers: ['user 77'] })],
    [
      'usage of 20 keys in a month',
      async () => (await usagePerKey(context, { accountId, keyIds, period: 'month' })).length,
    ],
  ]
}

/** Number of requests that an export reads, and of a page, as in the control plane. */
const exportedRequests = 20_000
const maxPageSize = 100

/** Reads the requests of an account from 25 days ago on, page by page, as an export does. */
export async function* exportRequests(
  context: Pick<Context, 'sql' | 'clock'>,
  accountId: string,
): AsyncGenerator<RequestLog[]> {
  const filter = { until: new Date(context.clock.now() - 25 * dayMs) }
  let after: Position | undefined
  for (let read = 0; read < exportedRequests; ) {
    const slice = { limit: maxPageSize + 1, after }
    const { requests } = await listRequests(context, { accountId, filter, slice })
    const page = requests.slice(0, maxPageSize)
    yield page
    if (requests.length <= maxPageSize) return
    after = positionOfRequest(page.at(-1)!, requestOrder())
    read += page.length
  }
}
