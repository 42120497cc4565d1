import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Listening {
  url: string
  /** Stops taking connections, lets requests in flight end within `graceMs`, then cuts what is left. */
  drain(graceMs: number): Promise<void>
}

/** Listens on an address; port 0 is any free one. Throws when the port cannot be had. */
export async function listen(server: Server, at: { host: string; port: number }): Promise<Listening> {
  server.headersTimeout = 10_000
  server.requestTimeout = 60_000
  server.listen(at.port, at.host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : at.port
  return {
    url: `http://${at.host}:${port}`,
    async drain(graceMs) {
      const closed = once(server, 'close').then(() => true)
      server.close()
      const deadline = Date.now() + graceMs
      let done = false
      while (!done && Date.now() < deadline) {
        server.closeIdleConnections()
        done = await Promise.race([closed, sleep(20, false)])
      }
      server.closeAllConnections()
      await closed
    },
  }
}
