import type { ServerResponse } from 'node:http'

/** A signal that is aborted when the client leaves before its answer is complete. */
export function watchClient(response: ServerResponse): AbortSignal {
  const leaving = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort()
  })
  return leaving.signal
}
