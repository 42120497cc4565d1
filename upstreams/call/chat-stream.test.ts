import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ChatFormat as WireName } from '../../schema/catalog/vendor.ts'
import { wholeChunk } from '../../schema/wire/text-chunk.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import { ByteQueue } from '../http/byte-queue.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { adapterOf } from './adapters.ts'
import { type ChatStream, openChatStream } from './chat-stream.ts'

const target: Target = { vendor: 'v', baseUrl: 'https://a.b', apiKey: 'sk-0123456789' }

/**
 * The answer of each vendor, event by event: five pieces of text and an end. In an error it quotes our
 * key.
 */
const formats: Record<WireName, { model: string; events: object[]; error: object; lineEnd: string }> = {
  'openai-chat': {
    model: 'vendor_a/atlas',
    lineEnd: '\n',
    events: [
      ...pieces(content => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } },
    ],
    error: { error: { message: 'No more for sk-0123456789.' } },
  },
  'anthropic-messages': {
    model: 'vendor_b/lyric',
    lineEnd: '\n',
    events: [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
      ...pieces(piece => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: piece },
      })),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ],
    error: { type: 'error', error: { type: 'overloaded_error', message: 'No more for sk-0123456789.' } },
  },
  gemini: {
    model: 'vendor_c/prism-pro',
    lineEnd: '\r\n',
    events: [
      ...pieces(piece => ({ candidates: [{ index: 0, content: { parts: [{ text: piece }] } }] })),
      {
        candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7 },
      },
    ],
    error: { error: { code: 503, message: 'No more for sk-0123456789.' } },
  },
}

function pieces(event: (text: string) => object): object[] {
  return ['Grüße ', '👋🏽', '\ud83d', '\ude00', ' 日本'].map(event)
}

const text = 'Grüße 👋🏽\u{1f600} 日本'
const names: WireName[] = ['openai-chat', 'anthropic-messages', 'gemini']

/** How a stream continues after some of its events. */
type Ending = 'whole' | 'an error' | 'garbage' | 'cut' | 'truncated'
const endings: Ending[] = ['whole', 'an error', 'garbage', 'cut', 'truncated']

function bytesOf(name: WireName, ending: Ending, count: number): Buffer {
  const { events, error, lineEnd } = formats[name]
  const frames = ending === 'whole' ? events : events.slice(0, count)
  const rest = events.slice(count).map(event => JSON.stringify(event))
  const data = frames.map(event => JSON.stringify(event))
  if (ending === 'an error') data.push(JSON.stringify(error), ...rest)
  if (ending === 'garbage') data.push('{"id":', ...rest)
  return Buffer.from(data.map(frame => `data: ${frame}${lineEnd}${lineEnd}`).join(''))
}

/**
 * Sends the bytes cut at these places, each part once the one before it was read, and returns what came of
 * them.
 */
async function streamThrough(
  name: WireName,
  { ending, bytes, cuts }: { ending: Ending; bytes: Buffer; cuts: number[] },
) {
  const queue = new ByteQueue({ pause() {}, resume() {}, stop() {} })
  const send = async () => {
    const ends = [...new Set([...cuts, bytes.length])].sort((one, other) => one - other)
    let at = 0
    for (const end of ends) {
      if (end > at) queue.push(bytes.subarray(at, end))
      at = end
      await new Promise(resolve => setImmediate(resolve))
    }
    if (ending === 'cut') queue.fail(new UpstreamFailure('broken', { message: 'hung up on sk-0123456789' }))
    else queue.end()
  }
  const call = aChatCall({ model: formats[name].model, stream: true })
  const translator = adapterOf(call.entry, target).openTranslator(call, target)
  const [outcome] = await Promise.all([
    readAll(() => openChatStream(translator, { bytes: queue, discardRest() {} }, target)),
    send(),
  ])
  return { ...outcome, usage: translator.usage }
}

async function readAll(open: () => Promise<ChatStream>) {
  const received: string[] = []
  let finish: string | null = null
  try {
    const stream = await open()
    for (let chunks = await stream.read(); chunks; chunks = await stream.read()) {
      for (const { choices } of chunks.map(wholeChunk)) {
        received.push(choices[0]?.delta.content ?? '')
        finish = choices[0]?.finish_reason ?? finish
      }
    }
    return { received: received.join(''), finish, failure: undefined }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    return { received: received.join(''), finish, failure: `${error.kind}: ${error.message}` }
  }
}

describe.each(names)('a stream of %s', name => {
  const count = formats[name].events.length

  test('however its bytes are cut, is the same answer; what came before a failure is answered before it', async () => {
    const scenario = fc.record({
      ending: fc.constantFrom(...endings),
      events: fc.nat(4), // all before the end of the answer
      places: fc.array(fc.nat(10_000), { maxLength: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ ending, events, places }) => {
        const bytes = bytesOf(name, ending, events)
        const cuts = places.map(place => place % (bytes.length + 1))
        const whole = await streamThrough(name, { ending, bytes, cuts: [] })
        expect(await streamThrough(name, { ending, bytes, cuts })).toEqual(whole)
        expect(text.startsWith(whole.received)).toBe(true)
        expect(whole.failure === undefined).toBe(ending === 'whole')
      }),
    )
  })

  test('is the whole text, byte by byte as well', async () => {
    const bytes = bytesOf(name, 'whole', count)
    const cuts = Array.from({ length: bytes.length }, (_, at) => at)
    expect(await streamThrough(name, { ending: 'whole', bytes, cuts })).toMatchObject({
      received: text,
      finish: 'stop',
      failure: undefined,
      usage: { promptTokens: 5, completionTokens: 7 },
    })
  })

  test('that fails in one read with what came before it answers that first, and repeats no secret', async () => {
    const events = formats[name].events.length - 2
    for (const ending of ['an error', 'cut'] as const) {
      const bytes = bytesOf(name, ending, events)
      const { received, failure } = await streamThrough(name, { ending, bytes, cuts: [] })
      expect(received.length).toBeGreaterThan(0)
      expect(failure).toMatch(/\*\*\*/)
      expect(failure).not.toContain('0123456789')
    }
  })

  test('that fails before its first chunk does not open', async () => {
    const bytes = bytesOf(name, 'an error', 0)
    const { received, failure } = await streamThrough(name, { ending: 'an error', bytes, cuts: [3, 9] })
    expect([received, failure]).toEqual(['', expect.stringContaining('No more for ***.')])
  })
})

describe.each(names)('the end of a stream of %s', name => {
  const { events, lineEnd } = formats[name]
  const bytesOfEvents = (list: object[]) =>
    Buffer.from(list.map(event => `data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`).join(''))

  /** Opens a stream, pushes these bytes to it, does something to its bytes, and reads to its end. */
  async function endWith(list: object[], then: (queue: ByteQueue, feed: (more: Buffer) => void) => void) {
    const left: number[] = []
    const queue = new ByteQueue({ pause() {}, resume() {}, stop() {} })
    const call = aChatCall({ model: formats[name].model, stream: true })
    const translator = adapterOf(call.entry, target).openTranslator(call, target)
    queue.push(bytesOfEvents(list))
    const answer = { bytes: queue, discardRest: (ms: number) => void left.push(ms) }
    const reading = readAll(() => openChatStream(translator, answer, target))
    await new Promise(resolve => setImmediate(resolve))
    then(queue, more => queue.push(more))
    return { ...(await reading), left, usage: translator.usage }
  }
  const whole = { received: text, finish: 'stop', failure: undefined, usage: { completionTokens: 7 } }

  test('is there with its usage: a connection that stays open is left', async () => {
    const told = await endWith(events, () => {})
    expect(told).toMatchObject({ ...whole, left: [1_000] })
  })

  test.each<[string, (queue: ByteQueue, feed: (more: Buffer) => void) => void]>([
    ['a reset', queue => queue.fail(new UpstreamFailure('broken', { message: 'reset' }))],
    ['our time limit', queue => queue.fail(new UpstreamFailure('timeout', { message: 'no end in time' }))],
    ['an error', (_, feed) => feed(bytesOfEvents([formats[name].error]))],
    ['more of the answer', (_, feed) => feed(bytesOfEvents(events.slice(0, -1)))],
  ])('is not changed by %s after it', async (_, then) => {
    expect(await endWith(events, then)).toMatchObject(whole)
  })
})

describe('an answer that has ended, and whose usage is missing', () => {
  const { events } = formats['openai-chat']
  const frame = (event: object) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
  const ended = events.slice(0, -1).map(frame)

  function open() {
    const left: number[] = []
    const queue = new ByteQueue({ pause() {}, resume() {}, stop() {} })
    const call = aChatCall({ model: 'vendor_a/atlas', stream: true })
    const translator = adapterOf(call.entry, target).openTranslator(call, target)
    for (const bytes of ended) queue.push(bytes)
    const answer = { bytes: queue, discardRest: (ms: number) => void left.push(ms) }
    return { queue, left, translator, reading: readAll(() => openChatStream(translator, answer, target)) }
  }

  test.each<[string, (queue: ByteQueue) => void]>([
    ['the stream ends', queue => queue.end()],
    ['it sends its end marker', queue => queue.push(Buffer.from('data: [DONE]\n\n'))],
    ['it breaks', queue => queue.fail(new UpstreamFailure('broken'))],
    ['a frame comes that is none', queue => queue.push(Buffer.from('data: {"id":\n\n'))],
  ])('is whole all the same when %s', async (_, then) => {
    const { queue, reading } = open()
    then(queue)
    expect(await reading).toEqual({ received: text, finish: 'stop', failure: undefined })
  })

  test('is waited for no longer than a moment, and the vendor is hung up on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { reading, left } = open()
    await vi.advanceTimersByTimeAsync(1_900)
    expect(left).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(await reading).toMatchObject({ received: text, failure: undefined })
    expect(left).toEqual([0])
  })

  test('is not made longer by what comes after it: chunks are dropped, and few bytes of them are read', async () => {
    const { queue, reading, left } = open()
    let pushed = 0
    while (left.length === 0 && pushed < 10_000_000) {
      const more = Buffer.from(frame(events[0]!).toString().repeat(100))
      pushed += more.length
      queue.push(more)
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(await reading).toEqual({ received: text, finish: 'stop', failure: undefined })
    expect(left).toEqual([0])
    expect(pushed).toBeLessThan(400_000)
  })
})
