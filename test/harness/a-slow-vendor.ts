import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'

export interface SlowVendor {
  /** A base address to lead a credential to. */
  url: string
  /** Resolves when it is called. */
  called: Promise<unknown>
  /** Answers whoever waits, and everybody after, with 500. */
  fail(): void
}

/** A vendor that lets its caller wait until it is told to fail. Ends with its test. */
export async function aSlowVendor(): Promise<SlowVendor> {
  const { promise: failing, resolve: fail } = Promise.withResolvers<void>()
  const server = createServer(async (_, response) => {
    await failing
    response.writeHead(500).end()
  })
  const called = once(server, 'request')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    fail()
    server.close()
    server.closeIdleConnections()
  })
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, called, fail }
}
