import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of Postgres that can pause connections. */
export interface PostgresProxy {
  url: string
  /** Pauses open connections in both directions. With `all`, later connections too. */
  stall(options?: { all?: boolean }): void
  /**
   * Resumes all connections, also towards the server if the client has disconnected. Resolves when the server is done
   * with the connections of disconnected clients.
   */
  release(): Promise<void>
  /** A client that sends this text gets no more data. The server still executes its statements. */
  swallowAnswersTo(text: string): void
  /** Connects later connections to another server. Open connections stay. */
  switchTo(serverUrl: string): void
  close(): Promise<void>
}

interface Pair {
  client: Socket
  server: Socket
  /** The data that the client sent while the pair is paused. */
  kept: Buffer[] | undefined
  isDeaf: boolean
}

export async function aPostgresProxy(serverUrl: string): Promise<PostgresProxy> {
  let target = new URL(serverUrl)
  const pairs = new Set<Pair>()
  let stallsLater = false
  let swallowed: string | undefined
  const listener = createServer(client => {
    const server = connect(Number(target.port), target.hostname)
    const pair: Pair = { client, server, kept: undefined, isDeaf: false }
    pairs.add(pair)
    if (stallsLater) standStill(pair)
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('data', chunk => {
      if (swallowed && chunk.includes(swallowed)) pair.isDeaf = true
      if (pair.kept) pair.kept.push(chunk)
      else server.write(chunk)
    })
    client.on('close', () => {
      if (!pair.kept) server.end()
    })
    server.on('data', chunk => {
      if (!pair.isDeaf) client.write(chunk)
    })
    server.on('close', () => {
      pairs.delete(pair)
      client.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)

  return {
    url: url.toString(),
    stall({ all = false } = {}) {
      stallsLater = all
      for (const pair of pairs) standStill(pair)
    },
    async release() {
      stallsLater = false
      const left: Promise<unknown>[] = []
      for (const pair of pairs) {
        const { client, server, kept } = pair
        if (!kept) continue
        pair.kept = undefined
        for (const chunk of kept) server.write(chunk)
        server.resume()
        if (!client.destroyed) continue
        left.push(once(server, 'close'))
        server.end()
      }
      await Promise.all(left)
    },
    swallowAnswersTo(text) {
      swallowed = text
    },
    switchTo(other) {
      target = new URL(other)
    },
    async close() {
      for (const { client, server } of pairs) {
        client.destroy()
        server.destroy()
      }
      await new Promise(resolve => listener.close(resolve))
    },
  }
}

function standStill(pair: Pair): void {
  pair.kept ??= []
  pair.server.pause()
}
