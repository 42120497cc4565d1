import type { ServerResponse } from 'node:http'
import { Cancellation } from '../../upstreams/http/cancellation.ts'

/** The client of a response, as its vendor's side sees it. */
export interface WatchedClient {
  /** Cancelled when the vendor's side is to end. */
  readonly cancellation: Cancellation
  /** The client left before its answer was complete. */
  readonly hasLeft: boolean
  /** From here on the vendor is heard out though the client leaves. */
  hearOut(): void
  /** Until here: a client that has left meanwhile cancels now. */
  letGo(): void
}

/**
 * Watches the client of `response`: when it leaves, its vendor's work is cancelled, but not while the vendor is heard
 * out. With `stays` it is heard out all the while, and the client counts as there.
 */
export function watchClient(response: ServerResponse, { stays = false } = {}): WatchedClient {
  const cancellation = new Cancellation()
  let isHeardOut = false
  let hasLeft = false
  if (!stays) {
    response.once('close', () => {
      if (response.writableFinished) return
      hasLeft = true
      if (!isHeardOut) cancellation.cancel()
    })
  }
  return {
    cancellation,
    get hasLeft() {
      return hasLeft
    },
    hearOut() {
      isHeardOut = true
    },
    letGo() {
      isHeardOut = false
      if (hasLeft) cancellation.cancel()
    },
  }
}
