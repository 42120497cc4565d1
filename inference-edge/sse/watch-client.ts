import type { ServerResponse } from 'node:http'
import { Line } from '../../upstreams/http/line.ts'

/** The client of a response, as its vendor's side sees it. */
export interface WatchedClient {
  /** Cut when the vendor's side is to end. */
  readonly line: Line
  /** The client left before its answer was complete. */
  readonly hasLeft: boolean
  /** From here on the vendor is heard out though the client leaves. */
  hearOut(): void
  /** Until here: a client that has left meanwhile cuts the line now. */
  letGo(): void
}

/**
 * Watches the client of `response`: the line to its vendor is cut when it leaves, but while the vendor is heard out.
 * With `stays` it is heard out all the while, and the client counts as there.
 */
export function watchClient(response: ServerResponse, { stays = false } = {}): WatchedClient {
  const line = new Line()
  let isHeardOut = false
  let hasLeft = false
  if (!stays) {
    response.once('close', () => {
      if (response.writableFinished) return
      hasLeft = true
      if (!isHeardOut) line.cut()
    })
  }
  return {
    line,
    get hasLeft() {
      return hasLeft
    },
    hearOut() {
      isHeardOut = true
    },
    letGo() {
      isHeardOut = false
      if (hasLeft) line.cut()
    },
  }
}
