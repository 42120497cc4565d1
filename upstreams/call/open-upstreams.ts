import { Agent } from 'undici'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { openTokenCache } from '../clouds/vertex/read-token.ts'
import { answerLimitsOf } from '../formats/shared/answer-limits.ts'
import { guardedConnector } from '../http/guard-address.ts'
import { openBreakers } from './breaker.ts'
import type { Upstreams } from './call-chat.ts'
import { openRetryBudget } from './retry-budget.ts'

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
