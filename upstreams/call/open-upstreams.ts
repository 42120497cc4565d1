import { Agent, type Dispatcher } from 'undici'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { openTokenCache, type TokenCache } from '../clouds/vertex-tokens.ts'
import type { Timeouts } from '../http/exchange.ts'
import { guardedConnector } from '../http/guard-address.ts'
import { type AllAnswerLimits, answerLimitsOf } from './answer-limits.ts'
import { type Breakers, openBreakers } from './breaker.ts'
import { openRetryBudget, type RetryBudget } from './retry-budget.ts'

/** What is needed to reach vendors. */
export interface Upstreams {
  /** To where the operator leads. */
  dispatcher: Dispatcher
  /** To where a customer leads: public addresses only. */
  guarded: Dispatcher
  tokens: TokenCache
  timeouts: Timeouts
  limits: AllAnswerLimits
  breakers: Breakers
  retries: RetryBudget
}

const connectTimeoutMs = 10_000

/**
 * Opens the pools of connections: to vendors, and to addresses that customers name. The client's own header and body
 * timeouts are off: `exchange` has a timer each for the first byte, for silence and for the whole.
 */
export function openUpstreams(config: Config): Upstreams & { close(): Promise<void> } {
  const options = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 }
  const { allowLoopback } = config
  const dispatcher = new Agent({ ...options, connect: { timeout: connectTimeoutMs } })
  const connect = guardedConnector({ allowLoopback, timeoutMs: connectTimeoutMs })
  const guarded = new Agent({ ...options, connect })
  return {
    dispatcher,
    guarded,
    tokens: openTokenCache({ dispatcher: guarded, allowLoopback, clock: systemClock }),
    breakers: openBreakers(systemClock),
    retries: openRetryBudget(),
    limits: answerLimitsOf(config),
    timeouts: {
      firstByteMs: config.firstByteTimeoutMs,
      idleMs: config.idleTimeoutMs,
      totalMs: config.totalTimeoutMs,
    },
    async close() {
      // What still runs has had its time: a vendor that never answers is not waited for.
      await Promise.all([dispatcher.destroy(), guarded.destroy()])
    },
  }
}
