import { Agent, type Dispatcher } from 'undici'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { type Metrics, openMetrics } from '../../platform/metrics/open-metrics.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { openVendorThread, type VendorThread } from '../beside/vendor-thread.ts'
import { openTokenCache, type TokenCache } from '../clouds/vertex-tokens.ts'
import type { Timeouts } from '../http/exchange.ts'
import { guardedConnector } from '../http/guard-address.ts'
import { openPlatformCredentials, type PlatformCredentials } from '../platform-credentials.ts'
import { reportVendors } from '../report-vendors.ts'
import type { Target } from '../targets.ts'
import { observeUpstreams, openUpstreamMetrics, type UpstreamMetrics } from '../upstream-metrics.ts'
import { type AllAnswerLimits, answerLimits } from './answer-limits.ts'
import { type Breakers, openBreakers } from './breaker.ts'
import { openRetryBudget, type RetryBudget } from './retry-budget.ts'

/** The connections and services with which a process calls vendors. */
export interface Upstreams {
  /** Connections to the vendors that the operator configured. */
  dispatcher: Dispatcher
  /** Connections to addresses that customers name. They must be public. */
  guarded: Dispatcher
  /** The same for generated files, whose responses are larger. */
  guardedFiles: Dispatcher
  tokens: TokenCache
  timeouts: Timeouts
  limits: AllAnswerLimits
  breakers: Breakers
  /** The platform's own credentials. */
  credentials: PlatformCredentials
  retries: RetryBudget
  metrics: UpstreamMetrics
  /** Prints and reads large bodies beside the event loop. */
  thread: VendorThread
  /** Reads a file of at most `maxBytes` that Rubicon itself serves, by its URL. Returns undefined for any other URL. */
  readOwn?: ((address: string, maxBytes: number) => Promise<Buffer | undefined>) | undefined
}

/** Returns the connections and answer limits of a call. A customer's own credential may name any public address. */
export function connectionOf(upstreams: Upstreams, { byokId }: Pick<Target, 'byokId'>) {
  const { dispatcher, guarded, limits } = upstreams
  return byokId
    ? { dispatcher: guarded, usualLimits: limits.own }
    : { dispatcher, usualLimits: limits.platform }
}

const connectTimeoutMs = 10_000

/**
 * Maximum number of bytes that a guarded connection receives, as a multiple of the largest body: headers and chunk
 * sizes count too.
 */
const framingFactor = 2

/**
 * Opens the connection pools and services with which a process calls vendors. The header and body timeouts of undici
 * are off: `exchange` has its own timers for the first byte, for silence and for the total time. With Redis, processes
 * share the counts of credentials with limits, and report calls and breakers for operators.
 */
export function openUpstreams(
  config: Config,
  {
    readOwn,
    redis,
    metrics = openMetrics('upstreams'),
  }: Pick<Upstreams, 'readOwn'> & { redis?: RedisClient; metrics?: Metrics } = {},
): Upstreams & { close(): Promise<void> } {
  const options = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 }
  const { allowLoopback } = config
  const thread = openVendorThread()
  const dispatcher = new Agent({ ...options, connect: { timeout: connectTimeoutMs } })
  const openGuarded = (maxBodyBytes: number) => {
    const guard = {
      allowLoopback,
      timeoutMs: connectTimeoutMs,
      maxResponseBytes: framingFactor * maxBodyBytes,
    }
    return new Agent({ ...options, connect: guardedConnector(guard) })
  }
  const guarded = openGuarded(answerLimits.own.streamBytes)
  const guardedFiles = openGuarded(config.resultLimitBytes)
  const breakers = openBreakers(systemClock)
  const credentials = openPlatformCredentials(config, {
    clock: systemClock,
    redis,
    breakerWaitMs: breakers.waitMs,
  })
  observeUpstreams(metrics, { breakers, dispatcher })
  const calls = openUpstreamMetrics(metrics)
  const prefix = config.redisPrefix
  const stopReports = redis && reportVendors({ redis, prefix, clock: systemClock, metrics: calls, breakers })
  return {
    metrics: calls,
    dispatcher,
    guarded,
    guardedFiles,
    tokens: openTokenCache({ dispatcher: guarded, allowLoopback, clock: systemClock }),
    breakers,
    credentials,
    retries: openRetryBudget(),
    thread,
    readOwn,
    limits: answerLimits,
    timeouts: {
      firstByteMs: config.firstByteTimeoutMs,
      idleMs: config.idleTimeoutMs,
      totalMs: config.totalTimeoutMs,
    },
    async close() {
      credentials.close()
      stopReports?.()
      // Calls in progress are aborted: a vendor that never responds must not keep the process from exiting.
      await Promise.all([dispatcher.destroy(), guarded.destroy(), guardedFiles.destroy(), thread.close()])
    },
  }
}
