import type { RequestRecord } from '../../domain/ledger/request-record.ts'
import { getOrCreate, lazily } from '../../platform/get-or-create.ts'
import type { Distribution } from '../../platform/metrics/distribution.ts'
import type { Family } from '../../platform/metrics/family.ts'
import type { Count, Metrics } from '../../platform/metrics/open-metrics.ts'
import { dollars } from '../../platform/money.ts'
import type { Problem } from '../../schema/errors.ts'
import type { Usage } from '../../schema/usage.ts'
import { operationOf } from './operations.ts'

/** The value of a label whose value is not known, such as the model of a request that was refused before it was read. */
const none = 'none'

/** A request that has ended. */
export interface EndedRequest {
  record: RequestRecord
  /** The name of its route, such as `chat.completions`. */
  route: string
  status: number
  problem: Problem | undefined
  /** Milliseconds from its arrival to the end of its response. */
  durationMs: number
}

/** The metrics of the requests of an edge process. */
export interface RequestMetrics {
  /** Counts a request. It runs once per request, so it only adds to numbers. */
  observe(request: EndedRequest): void
  /** Counts a request that was refused before it was read. */
  countRefusal(reason: string): void
}

/** Declares the metrics of requests. Their labels have catalogue names only (docs/monitoring.md, Metrics). */
export function openRequestMetrics(metrics: Metrics): RequestMetrics {
  const families = declareFamilies(metrics)
  const routes = new Map<string, Map<string, Observed[]>>()
  const reasons = new Map<string, Count>()

  /** Returns the values with the labels of a request. */
  const find = ({ record, route }: EndedRequest): Observed => {
    const model = record.model ?? none
    const vendor = record.vendor ?? none
    const isOwn = record.byokId !== null
    const models = getOrCreate(routes, route, () => new Map<string, Observed[]>())
    const known = getOrCreate(models, model, () => [])
    for (const one of known) if (one.vendor === vendor && one.isOwn === isOwn) return one
    const opened = openObserved(families, { route, model, vendor, isOwn })
    known.push(opened)
    return opened
  }

  const countRefusal = (reason: string) => {
    getOrCreate(reasons, reason, () => families.refusals.of(reason)).value += 1
  }

  return {
    observe(request) {
      const { record, status, problem, durationMs } = request
      const observed = find(request)
      observed.requests(status).value += 1
      if (problem) countRefusal(problem.errorName)
      if (record.transactionId === '') return
      observed.duration().observe(durationMs / 1000)
      if (record.costNanos > 0n) observed.cost().value += dollars(record.costNanos)
      observeTokens(observed, record.usage)
      if (status >= 300) return
      if (record.costNanos === 0n) families.zeroCost.of(zeroCostReason(record)).value += 1
      observeTimes(observed, record)
    },
    countRefusal,
  }
}

/** Why a successful request cost nothing. */
function zeroCostReason({ byokId, costTerms }: RequestRecord): string {
  if (byokId !== null) return 'own_credential'
  return costTerms ? 'zero_price' : 'empty_answer'
}

function observeTimes(observed: Observed, record: RequestRecord): void {
  const { firstByteMs, answeredMs, settledMs, vendorMs, streamed, usage } = record
  if (firstByteMs === null || answeredMs === null || settledMs === null) return
  observed.overhead().observe((firstByteMs - vendorMs + settledMs - answeredMs) / 1000)
  if (!streamed) return
  observed.firstToken().observe(firstByteMs / 1000)
  const later = usage.completionTokens - 1
  if (later > 0) observed.perToken().observe((answeredMs - firstByteMs) / later / 1000)
}

function observeTokens(observed: Observed, usage: Usage): void {
  if (usage.promptTokens > 0) observed.tokens('input').observe(usage.promptTokens)
  if (usage.completionTokens > 0) observed.tokens('output').observe(usage.completionTokens)
  if (usage.cachedTokens > 0) observed.tokens('cached').observe(usage.cachedTokens)
  if (usage.cacheCreationTokens > 0) observed.tokens('cache_creation').observe(usage.cacheCreationTokens)
  if (usage.reasoningTokens > 0) observed.tokens('reasoning').observe(usage.reasoningTokens)
}

/** The values with one set of labels. Each is declared with its first observation, which keeps scrapes small. */
interface Observed {
  vendor: string
  isOwn: boolean
  requests(status: number): Count
  duration(): Distribution
  firstToken(): Distribution
  perToken(): Distribution
  overhead(): Distribution
  tokens(type: TokenType): Distribution
  cost(): Count
}

type TokenType = 'input' | 'output' | 'cached' | 'cache_creation' | 'reasoning'

function openObserved(
  families: Families,
  { route, model, vendor, isOwn }: { route: string; model: string; vendor: string; isOwn: boolean },
): Observed {
  const credential = isOwn ? 'own' : vendor === none ? none : 'platform'
  const generation = [operationOf(route), vendor, model]
  const counts = new Map<number, Count>()
  const tokens = new Map<TokenType, Distribution>()
  return {
    vendor,
    isOwn,
    requests(status) {
      const group = status === leftStatus ? 0 : Math.trunc(status / 100)
      const create = () => families.requests.of(route, model, vendor, credential, statusOf(group))
      return getOrCreate(counts, group, create)
    },
    duration: lazily(() => families.duration.of(...generation)),
    firstToken: lazily(() => families.firstToken.of(...generation)),
    perToken: lazily(() => families.perToken.of(...generation)),
    overhead: lazily(() => families.overhead.of(route)),
    tokens: type => getOrCreate(tokens, type, () => families.tokens.of(...generation, type)),
    cost: lazily(() => families.cost.of(route, model, vendor)),
  }
}

/** The status of a request whose client disconnected. */
const leftStatus = 499

function statusOf(group: number): string {
  return group === 0 ? String(leftStatus) : `${group}xx`
}

interface Families {
  requests: Family<Count>
  refusals: Family<Count>
  zeroCost: Family<Count>
  cost: Family<Count>
  duration: Family<Distribution>
  firstToken: Family<Distribution>
  perToken: Family<Distribution>
  tokens: Family<Distribution>
  overhead: Family<Distribution>
}

/** The labels of OpenTelemetry's conventions for generative AI. */
const generationLabels = {
  labels: ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'],
  open: ['gen_ai_request_model'],
}

function declareFamilies(metrics: Metrics): Families {
  return {
    requests: metrics.counter({
      name: 'rubicon_requests_total',
      help: 'Requests of /v1 by their route, model, vendor, credential (own, platform) and class of status.',
      labels: ['route', 'model', 'vendor', 'credential', 'status'],
      open: ['model'],
    }),
    refusals: metrics
      .counter({
        name: 'rubicon_refusals_total',
        help: 'Requests of /v1 that failed, by the name of their error (docs/errors.md).',
        labels: ['reason'],
      })
      .begin(['overloaded']),
    zeroCost: metrics
      .counter({
        name: 'rubicon_zero_cost_requests_total',
        help: 'Successful requests that cost nothing, by reason: own_credential, empty_answer, zero_price.',
        labels: ['reason'],
      })
      .begin(['own_credential', 'empty_answer', 'zero_price']),
    cost: metrics.counter({
      name: 'rubicon_cost_dollars_total',
      help: 'Charged amounts in US dollars.',
      labels: ['route', 'model', 'vendor'],
      open: ['model'],
    }),
    duration: metrics.histogram({
      name: 'gen_ai_server_request_duration_seconds',
      help: 'Time from the arrival of a settled request to the end of its response.',
      ...generationLabels,
      buckets: { first: 0.01, factor: 2, count: 14 },
    }),
    firstToken: metrics.histogram({
      name: 'gen_ai_server_time_to_first_token_seconds',
      help: 'Time from the arrival of a streamed request to the first chunk of its vendor.',
      ...generationLabels,
      buckets: { first: 0.01, factor: 2, count: 13 },
    }),
    perToken: metrics.histogram({
      name: 'gen_ai_server_time_per_output_token_seconds',
      help: 'Time per output token after the first one, of streams.',
      ...generationLabels,
      buckets: { first: 0.001, factor: 2, count: 11 },
    }),
    tokens: metrics.histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a request. Input includes cached and cache_creation, output includes reasoning.',
      labels: [...generationLabels.labels, 'gen_ai_token_type'],
      open: generationLabels.open,
      buckets: { first: 64, factor: 4, count: 7 },
    }),
    overhead: metrics.histogram({
      name: 'rubicon_overhead_seconds',
      help: 'Time of an answered chat request from its arrival to its durable charge, without the time of vendors.',
      labels: ['route'],
      buckets: { first: 0.0005, factor: 2, count: 12 },
    }),
  }
}
