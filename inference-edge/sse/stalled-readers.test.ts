import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import { openChatStream } from '../../upstreams/call/chat-stream.ts'
import { openTranslator } from '../../upstreams/formats/openai-chat/stream.ts'
import { ByteQueue } from '../../upstreams/http/byte-queue.ts'
import { openPresenter } from '../protocols/chat-completions.ts'
import { ClientStream } from './client-stream.ts'

const readers = 100
const maxBytes = 64 << 20

const frame = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  choices: [{ index: 0, delta: { content: ' word' }, logprobs: null, finish_reason: null }],
})}\n\n`
const target = { vendor: 'vendor_a', baseUrl: 'https://a.b', apiKey: 'k' }

/** The memory that clients without reads cost: one pipeline in front of a vendor that sends as fast as it can. */
test(`${readers} clients that stop reading cost no more than ${maxBytes >> 20} MB together`, async () => {
  const kept: (() => number)[] = []
  const pipe = async (response: ServerResponse) => {
    let isPaused = false
    const part = Buffer.from(frame.repeat(300)) // as a socket gives it
    const queue = new ByteQueue({
      pause: () => {
        isPaused = true
      },
      resume: () => {
        isPaused = false
        setImmediate(feed)
      },
      stop() {},
    })
    const feed = () => {
      while (!isPaused && !response.destroyed) queue.push(part)
    }
    const client = new ClientStream(response, {
      stalledReaderMs: 60_000,
      keepAliveMs: 60_000,
      keepAlive: () => '',
    })
    kept.push(() => queue.queuedBytes + response.writableLength)
    feed()
    const translator = openTranslator(aChatCall({ model: 'vendor_a/atlas', stream: true }))
    const stream = await openChatStream(translator, { bytes: queue, discardRest() {} }, target)
    const presenter = openPresenter({ requestId: 'req_1', startedAt: 0 }, { includeUsage: false })
    client.keepAlive()
    for (let chunks = await stream.read(); chunks; chunks = await stream.read()) {
      await client.write(chunks.map(presenter.chunk).join(''))
    }
  }
  // Responses that no socket takes: what is written to them stays.
  const responses = Array.from(
    { length: readers },
    () => new ServerResponse(new IncomingMessage(new Socket())),
  )
  for (const response of responses) void pipe(response).catch(() => {})
  const sum = () => kept.reduce((bytes, of) => bytes + of(), 0)
  let last = -1
  for (let now = sum(); now !== last || now === 0; now = sum()) {
    last = now
    await sleep(50)
  }
  expect(sum()).toBeGreaterThan(readers * 16_384)
  expect(sum()).toBeLessThan(maxBytes)
  for (const response of responses) response.destroy()
})
