import type { ServerResponse } from 'node:http'
import { Cancellation } from '../../upstreams/http/cancellation.ts'

/**
 * Watches the client of `response`: when it leaves, its vendor's work is cancelled, but not while the vendor is heard
 * out. With `stays` it is heard out all the while, and the client counts as there.
 */
export function watchClient(response: ServerResponse, { stays = false } = {}): WatchedClient {
  const client = new WatchedClient()
  if (!stays) {
    response.once('close', () => {
      if (!response.writableFinished) client.leave()
    })
  }
  return client
}

/** The client of a response, as its vendor's side sees it. */
export class WatchedClient {
  /** Cancelled when the vendor's side is to end. */
  readonly cancellation = new Cancellation()
  #isHeardOut = false
  #hasLeft = false

  /** The client left before its answer was complete. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  leave(): void {
    this.#hasLeft = true
    if (!this.#isHeardOut) this.cancellation.cancel()
  }

  /** From here on the vendor is heard out though the client leaves. */
  keepUntilAnswered(): void {
    this.#isHeardOut = true
  }

  /** Until here: a client that has left meanwhile cancels now. */
  detachClient(): void {
    this.#isHeardOut = false
    if (this.#hasLeft) this.cancellation.cancel()
  }
}
