import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aSchema } from '../../dev/simulator/model/schema/a-schema.ts'
import { type RunningSimulator, startSimulator } from '../../dev/simulator/start-simulator.ts'
import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../schema/errors.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import type { Target } from '../chat-adapter.ts'
import { readAnswer } from './answer/read-answer.ts'
import { buildRequest } from './build-request.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator({ settings: { record: false } })
})
afterAll(() => simulator.close())

const someText = fc.oneof(
  { weight: 5, arbitrary: fc.lorem({ maxCount: 4 }) },
  fc.constantFrom('', ' ', '\n', 'Grüße 👋🏽', '\ud83d', '{"a":1}'),
)
const image = fc
  .constantFrom(
    'https://a.b/c.png',
    'data:image/png;base64,aGk=',
    'data:IMAGE/JPG;base64,aGk',
    'file:///a',
    'data:image/svg+xml,a',
  )
  .map(url => ({ type: 'image_url', image_url: { url, detail: 'low' } }))
const textPart = someText.map(text => ({ type: 'text', text }))
const strangePart = fc.constantFrom(
  { type: 'refusal', refusal: 'No.' },
  { type: 'input_audio', input_audio: {} },
)
const textContent = fc.oneof(someText, fc.array(textPart, { maxLength: 3 }))
const userContent = fc.oneof(
  { weight: 6, arbitrary: textContent },
  { weight: 2, arbitrary: fc.array(fc.oneof(textPart, image), { maxLength: 3 }) },
  fc.array(fc.oneof(textPart, strangePart), { maxLength: 2 }),
)
const saidContent = fc.oneof(textContent, fc.constantFrom(null, undefined))

const id = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('call_1', 'call_2', 'toolu_01D7', 'functions.now:0') },
  fc.string({ minLength: 1, maxLength: 80 }),
)
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('now', 'get_weather', 'search-all') },
  fc.constantFrom('a.b', 'ä'),
)
const args = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('', '{}', '{"city":"Bern"}', ' {"n":[1,null]}') },
  fc.constantFrom('{', 'null', '[]'),
)
const calls = fc.array(
  fc.record({
    id,
    type: fc.constant('function'),
    function: fc.record({ name, arguments: args }),
    extra_content: fc.constantFrom(undefined, { google: { thought_signature: 's' } }),
  }),
  { minLength: 1, maxLength: 3 },
)

/** Calls and their results in some order; now and then one is missing, or comes twice. */
const round = fc
  .record({
    content: saidContent,
    tool_calls: calls,
    answers: fc.array(userContent, { minLength: 3, maxLength: 3 }),
    slip: fc.nat(12),
  })
  .map(({ content, tool_calls: made, answers, slip }) => {
    const results = made.map((call, index) => ({
      role: 'tool',
      tool_call_id: call.id,
      content: answers[index],
    }))
    if (slip === 0) results.pop()
    if (slip === 1) results.push({ role: 'tool', tool_call_id: 'call_9', content: 'x' })
    return [{ role: 'assistant', content, tool_calls: made }, ...results.reverse()]
  })

const piece = fc.oneof(
  { weight: 4, arbitrary: userContent.map(content => [{ role: 'user', content, name: 'ann' }]) },
  { weight: 2, arbitrary: saidContent.map(content => [{ role: 'assistant', content }]) },
  fc.record({ role: fc.constantFrom('system', 'developer'), content: textContent }).map(message => [message]),
  { weight: 3, arbitrary: round },
)
const ending = fc.oneof(
  { weight: 4, arbitrary: fc.constant([{ role: 'user', content: 'So?' }]) },
  fc.constant([]),
)
const messages = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), ending)
  .map(([pieces, end]) => [...pieces.flat(), ...end])
  .filter(list => list.length > 0)

const tool = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('function'), function: functionOf() }) },
  fc.constantFrom({ type: 'web_search' }, { type: 'custom', custom: { name: 'grep' } }),
)

function functionOf() {
  const parameters = fc.oneof(
    fc.constantFrom(undefined, {}, { type: 'object', properties: { city: { type: 'string' } } }),
    aSchema.filter(schema => typeof schema === 'object' && schema !== null && !Array.isArray(schema)),
  )
  return fc.record({
    name,
    description: fc.constantFrom(undefined, 'Does it.'),
    parameters,
    strict: fc.boolean(),
  })
}

const choice = fc.oneof(
  fc.constantFrom('auto', 'none', 'required', null),
  name.map(chosen => ({ type: 'function', function: { name: chosen } })),
  fc.array(name, { maxLength: 2 }).map(names => ({
    type: 'allowed_tools',
    allowed_tools: {
      mode: 'auto',
      tools: names.map(allowed => ({ type: 'function', function: { name: allowed } })),
    },
  })),
)
const format = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
  aSchema.map(schema => ({ type: 'json_schema', json_schema: { name: 'a', schema } })),
)
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, arbitrary)

const request = fc.record({
  model: fc.constantFrom(
    'vendor_b/lyric-grand',
    'vendor_b/lyric',
    'vendor_b/lyric-swift',
    'vendor_b/lyric-classic',
  ),
  messages,
  tools: maybe(fc.array(tool, { maxLength: 3 })),
  tool_choice: maybe(choice),
  parallel_tool_calls: maybe(fc.boolean()),
  response_format: format,
  stop: maybe(fc.constantFrom(null, '', 'END', ['a', ''], [' '], ['1', '2', '3', '4', '5'])),
  temperature: maybe(fc.double({ min: 0, max: 2, noNaN: true })),
  top_p: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
  reasoning_effort: maybe(fc.constantFrom('none', 'minimal', 'high', 'huge', null)),
  n: maybe(fc.constantFrom(1, 2)),
  seed: maybe(fc.nat()),
  stream: maybe(fc.boolean()),
  max_tokens: maybe(fc.integer({ min: 1, max: 500 })),
})

/** What the vendor says to a request: its answer read, or the param of the refusal. */
async function exchange(
  asked: object,
  target: Target,
): Promise<{ answered: boolean; param?: string | undefined }> {
  try {
    const parsed = parseChatRequest(JSON.parse(JSON.stringify(asked)))
    const call = aChatCall(parsed)
    const { origin, path, headers, body } = await buildRequest(call, target)
    const response = await fetch(origin + path, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${text}\nof ${body}`)
    if (!call.request.stream) readAnswer(Buffer.from(text), call)
    return { answered: true }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { answered: false, param: error.details.param }
  }
}

describe.each<[string, () => Target]>([
  [
    "the vendor's own address",
    () => ({ vendor: 'vendor_b', baseUrl: `${simulator.url}/anthropic`, apiKey: 'sim-platform-key' }),
  ],
  [
    'Bedrock',
    () => ({
      vendor: 'vendor_b',
      baseUrl: `${simulator.url}/bedrock/anthropic`,
      apiKey: 'AKIASIM000000001:secret-of-AKIASIM000000001',
      config: { region: 'eu-central-1' },
    }),
  ],
])('any conversation, sent to %s', (_where, target) => {
  it('is taken, or refused by us with the parameter at fault', async () => {
    let answered = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(request, async asked => {
        const result = await exchange(asked, target())
        if (result.answered) answered++
        else refused++
        expect(result.answered || result.param).toBeTruthy()
      }),
      { numRuns: 400 },
    )
    expect(answered).toBeGreaterThan(60)
    expect(refused).toBeGreaterThan(60)
  })
})
