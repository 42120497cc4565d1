import type { IncomingMessage, ServerResponse } from 'node:http'
import { isCrowded, type Load } from './shed-load.ts'

type Begin = (request: IncomingMessage, response: ServerResponse) => void

interface Queued {
  request: IncomingMessage
  response: ServerResponse
  /** When it arrived, on the monotonic clock. */
  since: number
}

/**
 * Maximum number of requests that begin in one turn of a crowded event loop. Requests that begin together proceed in
 * lockstep, so each turn takes as long as all of them, and refusals wait. If the event loop is not crowded, all
 * requests begin at once, because their calls to Postgres and Redis are then batched, which costs less.
 */
const maxPerTurn = 32

/** Begins requests at once, or in the next turns if the event loop is crowded, in order of arrival. */
export function beginByTurns(load: Load, begin: Begin): Begin {
  const queue: Queued[] = []
  let begun = 0
  let isScheduled = false

  const beginInTurn: Begin = (request, response) => {
    begun += 1
    scheduleTurn()
    begin(request, response)
  }
  const scheduleTurn = () => {
    if (!isScheduled) setImmediate(nextTurn)
    isScheduled = true
  }
  const nextTurn = () => {
    begun = 0
    isScheduled = false
    if (queue.length > 0) scheduleTurn()
    const next = queue.splice(0, maxPerTurn)
    noteQueue()
    // A request whose client has disconnected is skipped.
    for (const { request, response } of next) if (!response.destroyed) beginInTurn(request, response)
  }
  const noteQueue = () => {
    load.queued = queue.length
    load.queuedSince = queue[0]?.since
  }
  return (request, response) => {
    if (queue.length === 0) {
      if (!isCrowded(load)) return begin(request, response)
      if (begun < maxPerTurn) return beginInTurn(request, response)
    }
    queue.push({ request, response, since: performance.now() })
    noteQueue()
  }
}
