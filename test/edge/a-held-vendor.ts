import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { listen } from '../../platform/http/listen.ts'

/** A vendor that begins each stream at once, and ends it when the test says so. */
export interface HeldVendor {
  url: string
  /** Ends all streams. */
  release(): void
}

/** Starts the vendor, until the test ends. */
export async function aHeldVendor(): Promise<HeldVendor> {
  const released = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const send = (fields: object) => {
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', ...fields }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    request.resume().on('end', async () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const delta = { role: 'assistant', content: 'One moment, please.' }
      send({ choices: [{ index: 0, delta, finish_reason: null }] })
      await released.promise
      send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
      send({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 } })
      response.end('data: [DONE]\n\n')
    })
  })
  const { url, drain } = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => drain(0))
  return { url, release: released.resolve }
}
