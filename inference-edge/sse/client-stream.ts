import type { ServerResponse } from 'node:http'

/** The client left, or left its stream unread for too long. */
export class ClientGone extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ClientGone'
  }
}

/** A stream of server-sent events to a client, with backpressure. */
export interface ClientStream {
  /** Resolves when the client can take more. Throws ClientGone. */
  write(frames: string): Promise<void>
  /** Writes the last frames and closes. */
  end(frames: string): void
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Opens the stream: status 200 and the headers go out with the first frames. A comment every `pingMs` keeps idle
 * connections open; a client that reads nothing for `stalledReaderMs` is cut.
 */
export function openClientStream(
  response: ServerResponse,
  options: { stalledReaderMs: number; pingMs?: number },
): ClientStream {
  response.statusCode = 200
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.socket?.setNoDelay(true)
  const ping = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': ping\n\n')
  }, options.pingMs ?? 15_000)
  response.once('close', () => clearInterval(ping))

  return {
    async write(frames) {
      if (response.destroyed) throw new ClientGone('the client left')
      ping.refresh()
      if (!response.write(frames)) await drained(response, options.stalledReaderMs)
    },
    end(frames) {
      clearInterval(ping)
      response.end(frames)
    },
  }
}

/** Waits until the client has read on; a client that leaves, or reads nothing for too long, ends the wait. */
function drained(response: ServerResponse, stalledReaderMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (outcome: () => void) => {
      clearTimeout(timer)
      response.off('drain', onDrain)
      response.off('close', onClose)
      outcome()
    }
    const onDrain = () => over(resolve)
    const onClose = () => over(() => reject(new ClientGone('the client left')))
    const timer = setTimeout(() => {
      over(() => reject(new ClientGone('the client stopped reading')))
      response.destroy()
    }, stalledReaderMs)
    response.once('drain', onDrain)
    response.once('close', onClose)
  })
}
