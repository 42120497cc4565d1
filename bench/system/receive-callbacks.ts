import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that receives callbacks of tasks. */
export interface CallbackReceiver extends Disposable {
  url: string
  /** The callbacks by task: when each arrived, in milliseconds since 1970, and the URL of the result. */
  received: Map<string, { at: number; url: string }>
}

/** Starts a receiver in this process. */
export async function receiveCallbacks(): Promise<CallbackReceiver> {
  const received: CallbackReceiver['received'] = new Map()
  const server = createServer(async (request, response) => {
    const at = Date.now()
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const { id, data }: { id: string; data?: { url: string }[] } = JSON.parse(text)
    received.set(id, { at, url: data?.[0]?.url ?? '' })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
