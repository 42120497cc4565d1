import { memo } from '../../platform/memo.ts'
import type { Family } from '../../platform/metrics/family.ts'
import type { Count } from '../../platform/metrics/open-metrics.ts'
import { type BudgetCache, openBudgetCache } from '../budgets/budget-cache.ts'
import { type ByokCache, openByokCache } from '../byok/byok-cache.ts'
import { type Authentication, openAuthentication } from '../callers/open-authentication.ts'
import type { Committer } from '../committer/committer.ts'
import type { Context } from '../context.ts'
import { type KeyCache, openKeyCache } from '../keys/key-cache.ts'
import { hmacsOfKey, type KeyHmacs } from '../keys/key-text.ts'
import { type ModelCache, openModelCache } from '../models/model-cache.ts'
import { RetryTimes } from '../rates/retry-times.ts'
import { windowNames } from '../rates/window.ts'
import { type LatencyCounts, openLatencyCounts } from '../usage/latency-counts.ts'
import { hmacOfCacheParts } from './cache-token.ts'
import { openRouteHealth, type RouteHealth } from './routes/route-health.ts'
import { openThinkingRates, type ThinkingRates } from './thinking-rates.ts'
import { openTokenizer, type Tokenizer } from './tokens/tokenizer.ts'

/** The caches and connections with which this process admits and settles paid requests. */
export interface Inference {
  context: Context
  committer: Committer
  /** The committer's ledger and rates. */
  ledger: Committer['ledger']
  rates: Committer['rates']
  retryTimes: RetryTimes
  keys: KeyCache
  models: ModelCache
  byok: ByokCache
  budgets: BudgetCache
  /** Counts text for which there is no count of a vendor. */
  tokenizer: Tokenizer
  thinkingRates: ThinkingRates
  /** The health of the routes of models that several vendors serve. */
  routeHealth: RouteHealth
  /** Recognises the sessions of the playground. */
  authentication: Authentication
  /** How long requests took, until it is posted. */
  latencies: LatencyCounts
  /** The requests that rates refused, by window. */
  rateRefusals: Family<Count>
  /** Returns the HMACs of a key's text, cached for keys in use. */
  hmacsOf(text: string): KeyHmacs
  /** Returns the cache token of its parts, cached likewise. */
  tokenOf(parts: string): string
}

/** Opens the inference of a process. Requires Postgres; starts without Redis. */
export async function openInference(context: Context, committer: Committer): Promise<Inference> {
  const { config, redis, sql, clock } = context
  const models = await openModelCache(context)
  return {
    context,
    models,
    committer,
    ledger: committer.ledger,
    rates: committer.rates,
    retryTimes: new RetryTimes(),
    keys: openKeyCache(sql, () => clock.monotonic()),
    byok: openByokCache(context),
    budgets: openBudgetCache(sql),
    tokenizer: openTokenizer(),
    thinkingRates: openThinkingRates(),
    routeHealth: openRouteHealth({ redis, prefix: config.redisPrefix, clock }),
    authentication: openAuthentication(context),
    latencies: openLatencyCounts(context),
    rateRefusals: context.metrics
      .counter({
        name: 'rubicon_rate_refusals_total',
        help: 'Requests that a rate limit refused, by its window: burst, rpm, tph, tpd, account.',
        labels: ['window'],
      })
      .begin(windowNames),
    hmacsOf: memo(10_000, text => hmacsOfKey(config, text)),
    tokenOf: memo(10_000, parts => hmacOfCacheParts(config.keyPepper, parts)),
  }
}

/** Waits for running settlements, releases every hold, and stops. */
export async function closeInference(inference: Inference): Promise<void> {
  await inference.byok.close()
  inference.keys.close()
  inference.models.close()
  inference.routeHealth.close()
  await inference.committer.close()
  await inference.latencies.close()
  await inference.tokenizer.close()
}
