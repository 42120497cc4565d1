import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { anyChatRequest } from '../../test/conversations/any-chat-request.ts'
import { aChatEntry } from '../../test/harness/a-chat-call.ts'
import { translateRequest } from '../../upstreams/formats/openai-chat/request.ts'
import { boundPrompt, boundTokens, estimateTokens, measurePrompt } from './count-prompt.ts'
import { parseChatRequest } from './parse-chat-request.ts'

const text = fc.oneof(fc.base64String(), fc.stringMatching(/^[0-9a-f]{0,80}$/), fc.string({ unit: 'binary' }))

/** Little text among long roles and settings, of which the model reads nothing. */
const emptyWithSettings = {
  model: 'vendor_a/atlas',
  messages: [
    { role: 'assistant', content: [] },
    { role: 'user', content: 'So? In JSON.' },
    { role: 'user', content: [] },
  ],
  seed: 100_000,
  top_p: 0,
}

/** Parts without text: a vendor may still separate them. */
const emptyParts = {
  model: 'vendor_a/atlas',
  messages: [
    { role: 'user', content: Array(20).fill({ type: 'text', text: '' }) },
    { role: 'user', content: [{ type: 'text', text: '' }] },
  ],
  stream: false,
}

/** Texts in fields that the system does not read but the vendor does. */
const elsewhere = fc.record(
  {
    functions: fc.array(fc.record({ name: text, description: text, parameters: fc.jsonValue() })),
    prediction: text.map(content => ({ type: 'content', content })),
    instructions_of_tomorrow: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const message = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: fc.oneof(
      text,
      fc.array(
        fc.oneof(
          text.map(words => ({ type: 'text', text: words, note: words })),
          text.map(words => ({ type: 'text', text: words, image_url: { url: words } })),
          text.map(words => ({ type: 'refusal', refusal: words, content: words })),
          text.map(url => ({ type: 'image_url', image_url: { url: `data:${url}`, detail: url }, alt: url })),
        ),
      ),
    ),
    name: text,
    refusal: text,
    reasoning: text,
    function_call: fc.record({ name: text, arguments: text }),
  },
  { requiredKeys: ['role', 'content'] },
)

test.each([
  ['measured', (request: ChatRequest) => measurePrompt(request)],
  [
    'bounded by its body',
    (request: ChatRequest) => boundPrompt(request, Buffer.byteLength(JSON.stringify(request))),
  ],
])(
  'no tokenizer makes more of a prompt than is held for it: %s, whatever is said, and wherever',
  (_, sizeOf) => {
    const body = fc
      .tuple(anyChatRequest(['vendor_a/atlas']), fc.array(message, { minLength: 1, maxLength: 4 }), elsewhere)
      .map(([usual, messages, others]) => ({
        ...usual,
        ...others,
        messages: [...messagesOf(usual), ...messages],
      }))
    fc.assert(
      fc.property(body, given => {
        const request = parseChatRequest(JSON.parse(JSON.stringify(given)))
        const sent = sentOf(request)
        fc.pre(sent !== undefined)
        expect(boundTokens(sizeOf(request))).toBeGreaterThanOrEqual(bytesRead(sent))
      }),
      { numRuns: 300, examples: [[emptyWithSettings], [emptyParts]] },
    )
  },
)

/** Returns the body for a vendor that accepts nearly every field unchanged, or undefined if the request is refused. */
function sentOf(request: ChatRequest): object | undefined {
  const call = { entry: aChatEntry('vendor_a/atlas'), request, outputTokens: 1, cacheToken: '' }
  try {
    return translateRequest(call, {})
  } catch {
    return undefined
  }
}

test('an image counts as one, whatever its size', () => {
  const of = (url: string) => ({
    model: 'vendor_a/atlas',
    messages: [{ role: 'user' as const, content: [{ type: 'image_url', image_url: { url } }] }],
  })
  const small = of('https://a.b/c.png')
  const large = of(`data:image/png;base64,${'A'.repeat(1_000_000)}`)
  expect(measurePrompt(large)).toEqual(measurePrompt(small))
  const bodyBytes = (request: object) => Buffer.byteLength(JSON.stringify(request))
  expect(boundPrompt(large, bodyBytes(large))).toEqual(boundPrompt(small, bodyBytes(small)))
  expect(boundTokens(measurePrompt(large))).toBeLessThan(5_100)
})

/** A page of a document is read as an image too, and what an address leads to may be of any length. */
describe('what bytes do not tell is held for all the same', () => {
  const of = (...content: object[]): ChatRequest =>
    parseChatRequest({ model: 'vendor_a/atlas', messages: [{ role: 'user', content }] })
  const long = 'A'.repeat(50_000)
  const sizes = (request: ChatRequest) => [
    measurePrompt(request),
    boundPrompt(request, Buffer.byteLength(JSON.stringify(request))),
  ]

  test.each([
    ['a document at an address', { type: 'file', file: { file_url: 'https://a.b/c.pdf' } }],
    ['one with a beginning', { type: 'file', file: { file_data: 'data:,a', file_url: 'https://a.b/c.pdf' } }],
    ['an address in the place of one', { type: 'file', file: { file_data: 'https://a.b/c.pdf' } }],
    ['a video', { type: 'video_url', video_url: { url: 'HTTPS://a.b/c.mp4' } }],
    ['a video of a cloud', { type: 'video', video: { uri: 'gs://a/c.mp4' } }],
  ])('%s may fill the context', (_, part) => {
    for (const size of sizes(of({ type: 'text', text: 'Sum it up.' }, part))) {
      expect(boundTokens(size)).toBe(Number.POSITIVE_INFINITY)
      expect(estimateTokens(size)).toBeLessThan(1_000)
    }
  })

  test.each([
    ['a document', { type: 'file', file: { file_data: `data:application/pdf;base64,${long}` } }],
    ['a film as an image', { type: 'image_url', image_url: { url: `data:video/mp4;base64,${long}` } }],
    ['a sound', { type: 'input_audio', input_audio: { data: long, format: 'mp3' } }],
  ])('%s that is inline has up to two tokens a byte', (_, part) => {
    for (const size of sizes(of(part))) {
      expect(boundTokens(size)).toBeGreaterThan(100_000)
      expect(boundTokens(size)).toBeLessThan(101_000)
    }
  })

  test('words about an address are words', () => {
    const words = { type: 'refusal', refusal: 'I cannot open https://a.b/c.pdf.' }
    for (const size of sizes(of(words, { type: 'text', text: 'https://a.b' })))
      expect(boundTokens(size)).toBeLessThan(300)
  })
})

test('an estimate takes four bytes a token, and what steers a request is none of its prompt', () => {
  const request: ChatRequest = {
    model: 'vendor_a/atlas',
    messages: [{ role: 'user', content: 'a'.repeat(400) }],
  }
  expect(estimateTokens(measurePrompt(request))).toBe(108)
  const steered = { ...request, user: 'ann', temperature: 1, stop: ['x'], metadata: { a: 'b' }, tools: null }
  expect(measurePrompt(steered)).toEqual(measurePrompt(request))
})

function messagesOf(request: object): unknown[] {
  const messages: unknown = Reflect.get(request, 'messages')
  return Array.isArray(messages) ? messages : []
}

const settings: ReadonlySet<string> = new Set([
  ...['model', 'max_tokens', 'max_completion_tokens', 'prompt_cache_key', 'user', 'stop', 'seed'],
  ...['temperature', 'top_p', 'presence_penalty', 'parallel_tool_calls', 'reasoning_effort', 'n', 'metadata'],
  ...['stream', 'stream_options'],
])

/**
 * Returns the bytes of all names and texts of a request except its settings: at worst, each is a token. A role is a fixed
 * word, which counts in the tokens that each message has beside its text. The type of a text part is one token.
 */
function bytesRead(sent: object): number {
  const read = Object.entries(sent).filter(([name]) => !settings.has(name) && name !== 'messages')
  const messages = messagesOf(sent).map(one => {
    const { content, ...others } = Object(one)
    return { ...others, role: '', content: Array.isArray(content) ? content.map(shortenType) : content }
  })
  return bytesOf([...read.map(([, value]) => value), messages])
}

function shortenType(part: object): object {
  return Reflect.get(part, 'type') === 'text' ? { ...part, type: 't' } : part
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return String(value ?? '').length
  if (Reflect.get(value, 'type') === 'image_url') {
    const { image_url, type, ...others } = Object(value)
    const { url, ...rest } = Object(image_url)
    return bytesOf(others) + bytesOf(rest)
  }
  return Object.entries(value).reduce((sum, [, inner]) => sum + bytesOf(inner), 0)
}
