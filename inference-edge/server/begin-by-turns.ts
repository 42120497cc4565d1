import type { IncomingMessage, ServerResponse } from 'node:http'
import { isCrowded, type Load } from './shed-load.ts'

type Begin = (request: IncomingMessage, response: ServerResponse) => void

interface Queued {
  request: IncomingMessage
  response: ServerResponse
  /** When it came, by the monotonic clock. */
  since: number
}

/**
 * So many requests begin in one turn of a crowded event loop. Those that begin together go on together, step by step,
 * and each turn takes as long as all of them: whoever is to be refused waits for it. Where it is not crowded all begin at
 * once, since what they ask the stores together costs less.
 */
const maxPerTurn = 32

/** Begins requests at once, or where it is crowded, in the next turns, first come first served. */
export function openTurns(load: Load, begin: Begin): Begin {
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
    // Whoever has left is waited for by nobody.
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
