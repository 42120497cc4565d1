import { once } from 'node:events'
import { createServer } from 'node:http'
import { isRecord } from '../../platform/checks.ts'

/** Takes callbacks and notes when each came. */
export interface CallbackReceiver {
  url: string
  /** When the callback of each task came, in milliseconds since 1970, and the address of what was made. */
  came: Map<string, { at: number; url: string }>
  close(): void
}

/** Starts a receiver in this process. */
export async function receiveCallbacks(): Promise<CallbackReceiver> {
  const came: CallbackReceiver['came'] = new Map()
  const server = createServer(async (request, response) => {
    const at = Date.now()
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const body: unknown = JSON.parse(text)
    if (isRecord(body)) came.set(String(body.id), { at, url: urlIn(body) })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`,
    came,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function urlIn({ data }: Record<string, unknown>): string {
  const [first]: unknown[] = Array.isArray(data) ? data : []
  return isRecord(first) ? String(first.url) : ''
}
