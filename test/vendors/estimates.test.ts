import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openTokenizer } from '../../domain/inference/tokens/tokenizer.ts'
import { compileChatPrice } from '../../domain/pricing/compile-chat-price.ts'
import { aChatEntry } from '../harness/a-chat-call.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { answerChat, asksForStream, aVendor, type VendorCall } from '../harness/a-vendor.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

/**
 * Compares the charge for an uncounted response with the tokens that it really used: the vendors here think and
 * speak at a speed of their own, and know what they have made when they are hung up on.
 */
const tokenizer = openTokenizer()

beforeAll(() => tokenizer.count(['loads its vocabulary']))
const vendor = perFile(() => aVendor(() => {}))
const system = perFile(() =>
  anEdgeSystem(Object.fromEntries(['A', 'B', 'C'].map(name => [`VENDOR_${name}_BASE_URL`, vendor.url]))),
)
afterEach(() => expectLedgerToBalance(system.context.sql))

/** An answer that is being made. */
interface Making {
  thoughts: number
  text: string
  /** Pieces of the text; it goes on and on. */
  pieces: string[]
  /** The usage that the vendor would have counted. */
  made: { promptTokens: number; cachedTokens: number; thoughtTokens: number; text: string }
}

type Format = 'a' | 'b' | 'c'
const models = { a: 'vendor_a/atlas-thinker', b: 'vendor_b/lyric', c: 'vendor_c/prism-pro' }
const formats: Format[] = ['a', 'b', 'c']

/** Both thoughts and text are made in steps, at one speed. */
const stepMs = 20
const maxAtOnce = 100 // or a busy machine would have much on its way when the client leaves
const tokensPerSecond = 2_000
const tokensSince = (begun: number) => Math.round(((performance.now() - begun) / 1_000) * tokensPerSecond)

const sse = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const begins: Record<Format, (making: Making) => string> = {
  a: () => sse({ id: 'c', choices: [{ index: 0, delta: { content: '' }, finish_reason: null }] }),
  b({ thoughts, made: { promptTokens } }) {
    const message = { id: 'm', usage: { input_tokens: promptTokens, output_tokens: 1 } }
    const content_block = { type: 'thinking', thinking: '', signature: '' }
    const thinking = sse({ type: 'content_block_start', index: 0, content_block })
    return sse({ type: 'message_start', message }) + (thoughts > 0 ? thinking : '')
  },
  c: () => '',
}
const speaks: Record<Format, (piece: string, making: Making) => string> = {
  a: content => sse({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  b: text => sse({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } }),
  c(text, { made: { promptTokens, thoughtTokens } }) {
    const thoughts = thoughtTokens > 0 && { thoughtsTokenCount: thoughtTokens }
    const usageMetadata = { promptTokenCount: promptTokens, ...thoughts }
    return sse({ candidates: [{ index: 0, content: { parts: [{ text }] } }], usageMetadata })
  },
}

/** Makes an answer until it is hung up on. */
async function make(response: ServerResponse, format: Format, making: Making): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(begins[format](making) || ':\n\n')
  const { made } = making
  const begun = performance.now()
  while (made.thoughtTokens < making.thoughts && !response.destroyed) {
    await sleep(stepMs)
    made.thoughtTokens = Math.min(making.thoughts, tokensSince(begun))
  }
  if (format === 'b') {
    response.write(sse({ type: 'content_block_stop', index: 0 }))
    response.write(sse({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }))
  }
  const spokeAt = performance.now()
  for (let at = 0; !response.destroyed; await sleep(stepMs)) {
    for (const until = Math.min(tokensSince(spokeAt), at + maxAtOnce); at < until; at++) {
      const piece = making.pieces[at % making.pieces.length]!
      response.write(speaks[format](piece, making))
      made.text += piece
    }
  }
}

function aMaking(pieces: string[], more: Partial<Making['made']> & { thoughts?: number } = {}): Making {
  const { thoughts = 0, ...counted } = more
  const made = { promptTokens: 60, cachedTokens: 0, thoughtTokens: 0, text: '', ...counted }
  return { thoughts, text: '', pieces, made }
}

const prompt =
  'Tell me at length, and in words that a child of ten understands, what the sea is, where its water came from, why it ' +
  'is salt, and what lives at its bottom, where no light has ever been. Then say what you are least sure of, and why.'

/** Sends a request, reads `characters` characters or waits, and disconnects. */
async function abortAfter(
  client: TestClient,
  format: Format,
  { characters = Infinity, ms = 20_000, fields = {} }: { characters?: number; ms?: number; fields?: object },
): Promise<void> {
  const asked = { ...saying(prompt, models[format]), stream: true, max_tokens: 30_000, ...fields }
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(), ms)
  try {
    const response = await client.post('/chat/completions', asked, {}, leaving.signal)
    const decoder = new TextDecoder()
    let seen = 0
    for await (const part of response.body!) {
      for (const [, piece = ''] of decoder.decode(part, { stream: true }).matchAll(/"content":"([^"]*)"/g))
        seen += piece.length
      if (seen >= characters) leaving.abort()
    }
  } catch {
    // We left.
  } finally {
    clearTimeout(timer)
  }
}

/** The charge as a fraction of the vendor's bill. */
async function shareOfTruth(client: TestClient, format: Format, { made }: Making, earlier = 0) {
  await expect.poll(() => logsOf(system, client), { timeout: 10_000 }).toHaveLength(earlier + 1)
  const log = (await logsOf(system, client))[earlier]
  expect(log).toMatchObject({ status: 499, error_code: 'client_left', usage_estimated: true })
  const { chat, prices } = aChatEntry(models[format])
  const tokens = made.thoughtTokens + (await tokenizer.count([made.text]))
  const completionTokens = Math.ceil((tokens * chat.tokens_per_hundred) / 100)
  const truth = compileChatPrice(prices).price({ ...made, cacheCreationTokens: 0, completionTokens })
  return Number(log!.cost_nanos) / Number(truth)
}

function expectFair(share: number): void {
  expect(share).toBeGreaterThan(0.8)
  expect(share).toBeLessThan(1.25)
}

const words = 'The sea is wide and deep, and no list names all that lives in it.'.match(/\s*\S+/g)!
const noise = Array.from({ length: 997 }, (_, at) => ((at * 7_919 + 13) * 104_729).toString(36).slice(-3))
const kinds: [string, string[]][] = [
  ['words', words],
  ['Chinese', [...'大海又宽又深，没有人数得清里面住着多少生命。']],
  ['emoji', ['👋🏽', '🎉', '🐙', '🌊', '🐋', '🦑']],
  ['noise', noise],
  ['code', ['if', ' (', 'at', ' <', ' text', '.length', ') {', '\n    ', 'return', ' at', '\n', '}', '\n']],
]

describe.each(formats)('a client that leaves a stream of vendor_%s', format => {
  test.each(kinds)('pays for its %s as the vendor bills them', async (_, pieces) => {
    const making = aMaking(pieces)
    vendor.answer = response => make(response, format, making)
    const client = await aClient(system)
    const reasoning_effort = format === 'a' ? 'none' : undefined
    await abortAfter(client, format, { characters: 1_500, fields: { reasoning_effort } })
    expectFair(await shareOfTruth(client, format, making))
  })

  test('pays for the thoughts before its text', async () => {
    const making = aMaking(words, { thoughts: 3_000 })
    vendor.answer = response => make(response, format, making)
    const client = await aClient(system)
    await abortAfter(client, format, { characters: 8_000, fields: { reasoning_effort: 'high' } })
    expectFair(await shareOfTruth(client, format, making))
  })
})

describe('before the first character', () => {
  /** As slow as the catalogue's rate, since nothing else is known. */
  const thinking = (format: Format) => aChatEntry(models[format]).chat.tokens_per_second

  test.each<Format>(['a', 'b'])('the prompt and what vendor_%s has thought so far are paid', async format => {
    const making = aMaking(words, { thoughts: 1e9 })
    vendor.answer = async response => {
      const begun = performance.now()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(begins[format](making))
      while (!response.destroyed) await sleep(stepMs)
      making.made.thoughtTokens = Math.round(((performance.now() - begun) / 1_000) * thinking(format))
    }
    const client = await aClient(system)
    await abortAfter(client, format, { ms: 2_500, fields: { reasoning_effort: 'high' } })
    await expect.poll(() => making.made.thoughtTokens).toBeGreaterThan(0) // the vendor has noticed
    expectFair(await shareOfTruth(client, format, making))
  })

  test('a vendor that begins after its client left has made something: it is paid', async () => {
    const making = aMaking(words, { thoughts: 400 })
    vendor.answer = async response => {
      await sleep(1_500)
      await make(response, 'c', {
        ...making,
        thoughts: 0,
        made: Object.assign(making.made, { thoughtTokens: 400 }),
      })
    }
    const client = await aClient(system)
    await abortAfter(client, 'c', { ms: 700, fields: { reasoning_effort: 'high' } })
    expectFair(await shareOfTruth(client, 'c', making))
  })
})

describe('the share of a prompt that was cached last time', () => {
  const document = Array.from(
    { length: 6_000 },
    (_, at) => `Paragraph ${at}: ${at * 31} is a number, they say.`,
  )
  const asking = (beginning: string, question: string) => ({
    messages: [
      { role: 'system', content: `${beginning}${document.join('\n')}` },
      { role: 'user', content: question },
    ],
    reasoning_effort: 'none',
  })
  let promptTokens: number
  const answerCounted = (response: ServerResponse, call: VendorCall, cached_tokens: number) => {
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens },
    }
    expect(asksForStream(call)).toBe(false)
    answerChat(response, call, { says: { content: 'Yes.' }, usage })
  }
  /** A whole answer shows the share; then another request, about the same or something else, is aborted. */
  async function leaveAfterCached(then: object, cachedTokens: number) {
    promptTokens = await tokenizer.count([document.join('\n')])
    vendor.answer = (response, call) => answerCounted(response, call, Math.floor(promptTokens * 0.99))
    const client = await aClient(system)
    const first = { model: models.a, ...asking('', 'Is it so?') }
    expect((await client.post('/chat/completions', first)).status).toBe(200)
    const making = aMaking(words, { promptTokens, cachedTokens })
    vendor.answer = response => make(response, 'a', making)
    await abortAfter(client, 'a', { characters: 100, fields: then })
    return shareOfTruth(client, 'a', making, 1)
  }

  test('is paid at the cached rate', async () => {
    promptTokens = await tokenizer.count([document.join('\n')])
    expectFair(await leaveAfterCached(asking('', 'And why is that?'), Math.floor(promptTokens * 0.99)))
  })

  test('is not, where the beginning is another', async () => {
    expectFair(await leaveAfterCached(asking('Listen. ', 'And why is that?'), 0))
  })
})

test('a whole request whose client leaves runs to its end and is paid by the count of its vendor', async () => {
  let ended = false
  vendor.answer = async (response, call) => {
    await sleep(1_500)
    ended = !response.destroyed
    answerChat(response, call, {
      says: { content: 'Yes.' },
      usage: { prompt_tokens: 70, completion_tokens: 500 },
    })
  }
  const client = await aClient(system)
  await abortAfter(client, 'a', { ms: 700, fields: { stream: false } })
  await expect.poll(() => logsOf(system, client), { timeout: 10_000 }).toHaveLength(1)
  expect(ended).toBe(true)
  const [log] = await logsOf(system, client)
  expect(log).toMatchObject({
    status: 499,
    usage_estimated: false,
    prompt_tokens: 70n,
    completion_tokens: 500n,
  })
  expect(log?.cost_nanos).toBe(70n * 1_100n + 500n * 4_400n)
})

// Last: this vendor thinks faster than all others of this file, and what is learned of it lasts.
test('thoughts that no time shows are paid at the usual rate of their model', async () => {
  const thoughtTokens = 20_000
  const usage = {
    prompt_tokens: 60,
    completion_tokens: thoughtTokens + 1,
    completion_tokens_details: { reasoning_tokens: thoughtTokens },
  }
  const making = aMaking(words, { thoughtTokens })
  const think = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    await sleep(250)
    response.write(speaks.a('Yes', making))
  }
  vendor.answer = async response => {
    await think(response)
    response.write(sse({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }))
    response.end('data: [DONE]\n\n')
  }
  const fields = { reasoning_effort: 'high' }
  await abortAfter(await aClient(system), 'a', { fields })
  vendor.answer = think
  const client = await aClient(system)
  await abortAfter(client, 'a', { characters: 1, fields })
  expect(await shareOfTruth(client, 'a', making)).toBeGreaterThan(0.2) // by the clock alone, it is below 0.01
})
