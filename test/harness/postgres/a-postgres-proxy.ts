import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a Postgres, whose connections can be made to stand still. */
export interface PostgresProxy {
  url: string
  /** What the connections of now send and get stands still; with `all`, that of later ones too. */
  stall(options?: { all?: boolean }): void
  /**
   * Everything goes on, also towards the server where the client has left meanwhile. Resolves when the server has done
   * with the connections of those who left.
   */
  release(): Promise<void>
  /** Whoever sends this text hears nothing any more: the server does what it is told. */
  swallowAnswersTo(text: string): void
  /** Connects the connections of later to another server; those of now stay. */
  switchTo(serverUrl: string): void
  close(): Promise<void>
}

interface Pair {
  client: Socket
  server: Socket
  /** What the client sent while the pair stands still. */
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
