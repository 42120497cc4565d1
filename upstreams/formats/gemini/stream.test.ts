import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatChunk } from '../../../schema/wire/chat.ts'
import { type StreamedChunk, wholeChunk } from '../../../schema/wire/text-chunk.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { thrownBy } from '../../../test/harness/a-refusal.ts'
import { openSseReader } from '../../http/sse-reader.ts'
import type { Target } from '../../targets.ts'
import { openTranslator } from './stream.ts'

const target: Target = { vendor: 'vendor_c', baseUrl: 'https://a.b', apiKey: 'k' }
const call = aChatCall({ model: 'vendor_c/prism-pro', stream: true })

const frame = (parts: object[], more: object = {}, rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  responseId: 'r1',
  ...rest,
})
const say = (text: string, more?: object, rest?: object) => frame([{ text }], more, rest)
const calling = (name: string, args: object = {}) => ({ functionCall: { name, args } })
const over = { finishReason: 'STOP' }

/** Reads frames to their end. */
function read(frames: object[]) {
  const translator = openTranslator(call, target)
  const chunks = frames.flatMap(data => translator.read({ event: undefined, data: JSON.stringify(data) }))
  return { chunks: [...chunks, ...translator.end()].map(wholeChunk), usage: translator.usage }
}

const deltasOf = (frames: object[]) =>
  read(frames).chunks.map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason])

const failureOf = (frames: object[]) => thrownBy(() => read(frames))

describe('a streamed answer', () => {
  it('is text under the requested name of the model; the role comes first, and once', () => {
    const { chunks } = read([say('Hel'), say('hm', {}, {}), say('lo', over)])
    expect(chunks.map(chunk => [chunk.id, chunk.model, chunk.object])).toEqual(
      Array(4).fill(['chatcmpl-r1', 'vendor_c/prism-pro', 'chat.completion.chunk']),
    )
    expect(chunks.map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason])).toEqual([
      [{ role: 'assistant', content: 'Hel' }, null],
      [{ content: 'hm' }, null],
      [{ content: 'lo' }, null],
      [{}, 'stop'],
    ])
  })

  it('without text still ends as an answer', () => {
    expect(deltasOf([say('', over)])).toEqual([[{ role: 'assistant', content: '' }, 'stop']])
  })

  it('has the usage that was reported last, and does not add it up', () => {
    const usage = (candidatesTokenCount: number) => ({
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount, thoughtsTokenCount: 3 },
    })
    expect(read([say('a', {}, usage(1)), say('b', {}, usage(2)), say('', over, usage(5))]).usage).toEqual({
      promptTokens: 10,
      cachedTokens: 0,
      cacheCreationTokens: 0,
      completionTokens: 8,
      reasoningTokens: 3,
    })
  })
})

describe('the usage of a stream', () => {
  const usageMetadata = { promptTokenCount: 10, thoughtsTokenCount: 3 }

  function readFrames(frames: object[]) {
    const translator = openTranslator(call, target)
    for (const data of frames) translator.read({ event: undefined, data: JSON.stringify(data) })
    return translator
  }

  it('is what the vendor reported so far, and final with the event that ends the answer', () => {
    expect(readFrames([say('a')]).usage).toBeUndefined()
    const going = readFrames([say('a'.repeat(40), {}, { usageMetadata })])
    expect(going.usage).toMatchObject({ promptTokens: 10, completionTokens: 3, reasoningTokens: 3 })
    expect(going).toMatchObject({ isFinished: false, isOver: false, isUsageFinal: false })
    const ended = readFrames([say('a', {}, { usageMetadata }), say('b', over)])
    expect(ended).toMatchObject({ isFinished: true, isOver: false, isUsageFinal: false })
    const counted = readFrames([say('a'), say('b', over, { usageMetadata })])
    expect(counted).toMatchObject({ isFinished: true, isOver: true, isUsageFinal: true })
  })
})

describe('calls of tools', () => {
  it('come whole, each under an index of its own, over all frames', () => {
    const deltas = deltasOf([
      say('I look.'),
      frame([calling('now'), calling('then', { a: 1 })]),
      frame([calling('later')], over),
    ])
    const made = (index: number, name: string, args: string) => ({
      index,
      id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
      type: 'function',
      function: { name, arguments: args },
    })
    expect(deltas).toEqual([
      [{ role: 'assistant', content: 'I look.' }, null],
      [{ tool_calls: [made(0, 'now', '{}'), made(1, 'then', '{"a":1}')] }, null],
      [{ tool_calls: [made(2, 'later', '{}')] }, null],
      [{}, 'tool_calls'],
    ])
  })

  it('alone begin with the role and no content', () => {
    expect(deltasOf([frame([calling('now')], over)])[0]?.[0]).toMatchObject({
      role: 'assistant',
      content: null,
    })
  })

  it('carry their signature in the id and beside it', () => {
    const [chunk] = read([frame([{ ...calling('now'), thoughtSignature: 'c2ln' }], over)]).chunks
    expect(chunk?.choices[0]?.delta.tool_calls?.[0]).toMatchObject({
      id: expect.stringMatching(/^call_[0-9a-f]{32}-[\w-]+$/),
      extra_content: { google: { thought_signature: 'c2ln' } },
    })
  })
})

const second = (parts: object[], more: object = {}) => ({
  candidates: [{ content: { parts }, index: 1, ...more }],
})

it('several choices: one that could not be made does not spoil the other; all of them do', () => {
  const failed = { finishReason: 'OTHER' }
  expect(read([frame([], failed), second([{ text: 'b' }], over)]).chunks.at(-1)?.choices[0]).toMatchObject({
    index: 0,
    finish_reason: 'stop',
  })
  expect(failureOf([frame([], failed), second([], failed)])).toMatchObject({
    message: 'the model gave up: OTHER',
  })
})

it('a prompt that was blocked has an answer that says so', () => {
  const usageMetadata = { promptTokenCount: 9 }
  const { chunks, usage } = read([{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata }])
  expect(chunks.map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason])).toEqual([
    [
      { role: 'assistant', content: '', refusal: 'The vendor blocked the prompt (SAFETY).' },
      'content_filter',
    ],
  ])
  expect(usage?.promptTokens).toBe(9)
})

describe('a stream that is none', () => {
  it('was cut where a choice has no reason to have ended', () => {
    expect(failureOf([say('a'), say('b')])).toMatchObject({ kind: 'broken' })
    expect(failureOf([])).toMatchObject({ kind: 'broken' })
    expect(failureOf([{ usageMetadata: { promptTokenCount: 3 } }])).toMatchObject({ kind: 'broken' })
  })

  it('is something other than JSON', () => {
    const translator = openTranslator(call, target)
    expect(() => translator.read({ event: undefined, data: '{"candi' })).toThrow('other than JSON')
  })

  it('gives up before any text, but not after', () => {
    const malformed = { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'oops' }
    expect(failureOf([frame([], malformed)])).toMatchObject({
      message: 'the model gave up: MALFORMED_FUNCTION_CALL oops',
    })
    expect(deltasOf([say('I look.'), frame([], malformed)]).at(-1)).toEqual([{}, 'stop'])
  })
})

describe('however it is cut', () => {
  const frames = [
    say('Grüße 👋🏽'),
    say('\ud83d'),
    say('\udc4b'),
    frame([{ ...calling('now', { ü: '👋' }), thoughtSignature: 'c2ln' }]),
    say('', { finishReason: 'STOP' }, { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4 } }),
  ]
  const bytes = Buffer.from(frames.map(data => `data: ${JSON.stringify(data)}\r\n\r\n`).join(''))

  function readCut(cuts: number[]) {
    const reader = openSseReader()
    const translator = openTranslator(call, target)
    const ends = [...new Set([...cuts, bytes.length])].sort((one, other) => one - other)
    const chunks: StreamedChunk[] = []
    let at = 0
    for (const end of ends) {
      for (const event of reader.push(bytes.subarray(at, end))) chunks.push(...translator.read(event))
      at = end
    }
    chunks.push(...translator.end())
    return { chunks: chunks.map(wholeChunk).map(withoutChance), usage: translator.usage }
  }

  /** Ids and times are another each time. */
  const withoutChance = (chunk: ChatChunk) =>
    JSON.stringify({ ...chunk, created: 0 }).replace(/call_[0-9a-f]{32}/, 'call')

  it('is the same answer', () => {
    const whole = readCut([])
    expect(whole.usage?.completionTokens).toBe(4)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), cuts => {
        expect(readCut(cuts)).toEqual(whole)
      }),
    )
  })
})
