import { Agent } from 'undici'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import type { Upstreams } from './call-chat.ts'
import { openBreakers } from './reliability/breaker.ts'
import { openRetryBudget } from './reliability/retry-budget.ts'

/**
 * Opens the pool of connections to vendors. The client's own header and body timeouts are off: `exchange` has a
 * timer each for the first byte, for silence and for the whole.
 */
export function openUpstreams(config: Config): Upstreams & { close(): Promise<void> } {
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    connect: { timeout: 10_000 },
  })
  return {
    dispatcher,
    breakers: openBreakers(systemClock),
    retries: openRetryBudget(),
    timeouts: {
      firstByteMs: config.firstByteTimeoutMs,
      idleMs: config.idleTimeoutMs,
      totalMs: config.totalTimeoutMs,
    },
    close: () => dispatcher.close(),
  }
}
