import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../platform/config/read-config.ts'
import { endUnread } from '../../platform/http/answer-unread.ts'
import { lengthOf } from '../../platform/http/read-body.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { Problem, presentProblem } from '../../schema/errors.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import { presentMessagesProblem, speaksMessages } from '../protocols/messages/client.ts'
import { type Load, mustRefuse } from './shed-load.ts'

/** Refuses requests that this process cannot serve, before any other work. */
export interface EarlyRefusal {
  /** Refuses the request and sends the response, if it must be refused. Returns whether it was refused. */
  refuses(request: IncomingMessage, response: ServerResponse): boolean
  close(): void
}

const overloaded = new Problem('overloaded', { retryAfterSeconds: 1 })
const plain = JSON.stringify(presentProblem(overloaded))

/** Size up to which the body of a refused request is discarded and its connection is kept, in bytes. */
const dumpedBytes = 65_536

/** Interval at which the number of refused requests is logged, in milliseconds. A line per request would cost too much. */
const logIntervalMs = 1_000

export function openEarlyRefusal(options: {
  load: Load
  config: Config
  ids: Ids
  log: Log
  requestMetrics: RequestMetrics
}): EarlyRefusal {
  const { load, config, ids, log, requestMetrics } = options
  let refused = 0
  const timer = setInterval(() => {
    if (refused > 0) log.warn({ refused, inFlight: load.inFlight, lagMs: load.lagMs }, 'too busy')
    refused = 0
  }, logIntervalMs)
  timer.unref()
  return {
    refuses(request, response) {
      if (!mustRefuse(load, config)) return false
      refused += 1
      requestMetrics.countRefusal(overloaded.errorName)
      refuse(request, response, ids.tagged('req_'))
      return true
    },
    close: () => clearInterval(timer),
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const { url = '', headers } = request
  const length = lengthOf(request) ?? Number.POSITIVE_INFINITY
  const { status, body } = speaksMessages({ path: url, headers })
    ? presentForMessages(requestId)
    : { status: overloaded.status, body: plain }
  response.writeHead(status, [
    'content-type',
    'application/json',
    'content-length',
    String(Buffer.byteLength(body)),
    'retry-after',
    '1',
    'x-request-id',
    requestId,
    'cache-control',
    'no-store',
    ...(length > dumpedBytes ? ['connection', 'close'] : []),
  ])
  // Node discards an unread body that arrived with its headers. Headers and text are sent in one write.
  if (length > dumpedBytes) endUnread(request, response, Buffer.from(body))
  else response.end(body)
}

function presentForMessages(requestId: string): { status: number; body: string } {
  const { status, body } = presentMessagesProblem(overloaded, requestId)
  return { status, body: JSON.stringify(body) }
}
