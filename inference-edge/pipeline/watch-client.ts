import type { ServerResponse } from 'node:http'
import { Cancellation } from '../../upstreams/http/cancellation.ts'

/**
 * Watches whether the client of a response disconnects, which cancels the vendor's call unless the answer must be
 * completed. With `outlivesClient`, the request is always completed: its client is not watched and counts as connected.
 */
export function watchClient(
  response: ServerResponse,
  { outlivesClient }: { outlivesClient: boolean },
): WatchedClient {
  const client = new WatchedClient()
  if (!outlivesClient) {
    response.once('close', () => {
      if (!response.writableFinished) client.leave()
    })
  }
  return client
}

/** The client of a response, for the vendor's call. Its disposal cancels the call. */
export class WatchedClient {
  /** Cancelled when the vendor's call must end. */
  readonly cancellation = new Cancellation()
  #mustComplete = false
  #hasLeft = false

  /** Whether the client disconnected before its response was complete. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  leave(): void {
    this.#hasLeft = true
    if (!this.#mustComplete) this.cancellation.cancel()
  }

  /** After this, the vendor's call continues even if the client disconnects. */
  keepUntilAnswered(): void {
    this.#mustComplete = true
  }

  /** After this, a disconnect cancels the call, even if the client has already disconnected. */
  detachClient(): void {
    this.#mustComplete = false
    if (this.#hasLeft) this.cancellation.cancel()
  }

  [Symbol.dispose](): void {
    this.cancellation.cancel()
  }
}
