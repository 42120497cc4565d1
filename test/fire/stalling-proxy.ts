import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server on which bytes can be held back. */
export interface StallingProxy {
  port: number
  /**
   * Delays the data of open connections by `ms` milliseconds, also of connections
   * that were closed in between. Connections that are opened after this are not delayed.
   */
  stall(ms: number): void
  /** Connects later connections to another port, and closes the open connections. */
  switchTo(port: number): void
  close(): void
}

/** Opens one before a port of this machine. */
export async function openStallingProxy(first: number): Promise<StallingProxy> {
  let target = first
  const links = new Set<Link>()
  const server = createServer(client => {
    const link = openLink(client, target)
    links.add(link)
    link.upstream.once('close', () => links.delete(link))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  const cut = () => {
    for (const { client, upstream } of links) {
      client.destroy()
      upstream.destroy()
    }
  }
  return {
    port: address.port,
    stall(ms) {
      const stalled = [...links]
      for (const link of stalled) link.heldBack ??= []
      setTimeout(() => stalled.forEach(release), ms)
    },
    switchTo(port) {
      target = port
      cut()
    },
    close() {
      server.close()
      cut()
    },
  }
}

interface Link {
  client: Socket
  upstream: Socket
  /** While it is stalled: what the client said, and whether it has left. */
  heldBack: Buffer[] | undefined
  hasLeft: boolean
}

function openLink(client: Socket, target: number): Link {
  const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
  const link: Link = { client, upstream, heldBack: undefined, hasLeft: false }
  client.setNoDelay(true)
  client.on('error', () => {})
  upstream.on('error', () => {})
  client.on('data', data => {
    if (link.heldBack) link.heldBack.push(data)
    else upstream.write(data)
  })
  upstream.on('data', data => void client.write(data))
  client.on('close', () => {
    link.hasLeft = true
    if (!link.heldBack) upstream.destroy()
  })
  upstream.on('close', () => void client.destroy())
  return link
}

function release(link: Link): void {
  for (const data of link.heldBack ?? []) link.upstream.write(data)
  link.heldBack = undefined
  if (link.hasLeft) link.upstream.end()
}
