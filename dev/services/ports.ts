import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Returns a port on loopback that is free at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/** Maximum wait for a port, in milliseconds: a process that is just ending may still hold it. */
const timeoutMs = 2000

/** Throws a one-line error that names `purpose` if the port on loopback remains in use. */
export async function requireFreePort(port: number, purpose: string): Promise<void> {
  for (const startedAt = Date.now(); !(await isFree(port)); await sleep(100)) {
    if (Date.now() - startedAt > timeoutMs)
      throw new Error(
        `port ${port}, meant for ${purpose}, is in use: stop the process that listens there, or use --port N`,
      )
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(new Error(`port ${port} cannot be used: ${error.message}`))
    })
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
