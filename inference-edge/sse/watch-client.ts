import type { ServerResponse } from 'node:http'

/** The line between a client and the vendor that answers it. */
export interface Line {
  /** Aborted when the client leaves before its answer is complete, or when we hang up. */
  signal: AbortSignal
  /** Ends the vendor's side, whatever it still sends; call it when the request is over. */
  hangUp(): void
}

/** Watches the client of `response`; with `stays` the vendor is heard out even when the client has left. */
export function watchClient(response: ServerResponse, { stays = false } = {}): Line {
  const line = new AbortController()
  if (stays) return { signal: line.signal, hangUp: () => line.abort() }
  response.once('close', () => {
    if (!response.writableFinished) line.abort()
  })
  return { signal: line.signal, hangUp: () => line.abort() }
}
