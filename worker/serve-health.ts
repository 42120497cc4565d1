import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Serves `/healthz`, which says that the process lives, and `/readyz`, which says whether it can work.
 * Throws when the port cannot be had.
 */
export async function serveHealth(options: {
  host: string
  port: number
  isReady(): Promise<boolean>
}): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const isKnown = request.url === '/healthz' || request.url === '/readyz'
    const isWell = request.url !== '/readyz' || (await options.isReady())
    response.statusCode = isKnown ? (isWell ? 200 : 503) : 404
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ status: isKnown && isWell ? 'ok' : 'unavailable' }))
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  return {
    url: `http://${options.host}:${port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
