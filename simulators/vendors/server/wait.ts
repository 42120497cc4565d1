import type { ServerResponse } from 'node:http'

/** Waits so many milliseconds (0: one turn of the event loop), or until the response closes. */
export function pause(response: ServerResponse, waitMs: number): Promise<void> {
  return settle(response, done => {
    if (waitMs === 0) {
      const turn = setImmediate(done)
      return () => clearImmediate(turn)
    }
    const timer = setTimeout(done, waitMs)
    return () => clearTimeout(timer)
  })
}

/** Waits until the socket takes more, or the response closes: a stalled client that dies never drains. */
export function drained(response: ServerResponse): Promise<void> {
  return settle(response, done => {
    response.once('drain', done)
    return () => response.off('drain', done)
  })
}

/** Waits until the response is closed, by whichever side. */
export function closed(response: ServerResponse): Promise<void> {
  return settle(response, () => () => {})
}

function settle(response: ServerResponse, start: (done: () => void) => () => void): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise(resolve => {
    const done = (): void => {
      stop()
      response.off('close', done)
      resolve()
    }
    const stop = start(done)
    response.once('close', done)
  })
}
