import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonRecord } from '../../server/json.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

const hello: Json = [{ role: 'user', content: 'Hello' }]
const getTime: Json = { type: 'function', function: { name: 'get_time' } }

const said = (role: string, content: Json, more: JsonRecord = {}): JsonRecord => ({ role, content, ...more })
const talk = (...messages: Json[]): JsonRecord => ({ messages })
const part = (type: string, value: Json): Json => [{ type, [type]: value }]
const image: Json = { url: 'https://a.b/c' }
const calls = (name = 'a', text = '{}'): JsonRecord =>
  said('assistant', null, {
    tool_calls: [{ id: 'x', type: 'function', function: { name, arguments: text } }],
  })
const result = (content: Json = 'b'): JsonRecord => said('tool', content, { tool_call_id: 'x' })
const offer = (details: JsonRecord): JsonRecord => ({ tools: [{ type: 'function', function: details }] })
const answerIn = (json_schema: JsonRecord): JsonRecord => ({
  response_format: { type: 'json_schema', json_schema },
})
const loose: Json = { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: false }

interface Answer {
  error: { message: string; type: string; param: string | null; code: string | null }
}

async function send(
  body: Json | string,
  { key = 'sim-platform-key', contentType = 'application/json' } = {},
) {
  const response = await fetch(`${simulator.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': contentType, ...(key && { authorization: `Bearer ${key}` }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const answer: Answer = JSON.parse(await response.text())
  return { status: response.status, body: answer }
}

const missing = 'missing_required_parameter'
const unknown = 'unknown_parameter'
const unsupported = 'unsupported_parameter'

const refusedFields: [what: string, fields: JsonRecord, param: string | null, code: string | null][] = [
  ['no messages', { messages: null }, 'messages', missing],
  ['no message at all', { messages: [] }, 'messages', 'empty_array'],
  ['messages that are no list', { messages: 'Hello' }, 'messages', 'invalid_type'],
  ['an unknown parameter', { top_k: 5 }, 'top_k', unknown],
  ['an unknown field of a message', talk(said('user', 'a', { x: 1 })), 'messages[0].x', unknown],
  ['temperature as text', { temperature: '1' }, 'temperature', 'invalid_type'],
  ['temperature below 0', { temperature: -0.1 }, 'temperature', 'decimal_below_min_value'],
  ['temperature above 2', { temperature: 2.1 }, 'temperature', 'decimal_above_max_value'],
  ['top_p above 1', { top_p: 1.5 }, 'top_p', 'decimal_above_max_value'],
  ['presence_penalty below -2', { presence_penalty: -3 }, 'presence_penalty', 'decimal_below_min_value'],
  ['frequency_penalty above 2', { frequency_penalty: 3 }, 'frequency_penalty', 'decimal_above_max_value'],
  ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens that is not whole', { max_tokens: 1.5 }, 'max_tokens', 'invalid_type'],
  ['both limits', { max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens', 'invalid_parameter_combination'],
  ['max_tokens for a reasoning model', { model: 'reasoning-sim', max_tokens: 5 }, 'max_tokens', unsupported],
  ['n of 0', { n: 0 }, 'n', 'integer_below_min_value'],
  ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
  ['a stop sequence that is no text', { stop: [1] }, 'stop[0]', 'invalid_type'],
  ['an unknown role', talk(said('robot', 'a')), 'messages[0].role', 'invalid_value'],
  ['no role', talk({ content: 'a' }), 'messages[0].role', missing],
  ['no content', talk({ role: 'user' }), 'messages[0].content', missing],
  ['null content of a user', talk(said('user', null)), 'messages.[0].content', null],
  ['an unknown part', talk(said('user', part('video', {}))), 'messages[0].content[0].type', 'invalid_value'],
  [
    'an image from the system',
    talk(said('system', part('image_url', image))),
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'an image that is no address',
    talk(said('user', part('image_url', { url: 'file:///etc/passwd' }))),
    'messages[0].content[0].image_url.url',
    'invalid_value',
  ],
  [
    'an image as a string',
    talk(said('user', part('image_url', 'https://a.b/c'))),
    'messages[0].content[0].image_url',
    'invalid_type',
  ],
  ['an orphan tool result', talk(result()), 'messages.[0].role', null],
  ['a call without its result', talk(calls(), said('user', 'b')), 'messages.[0].role', null],
  ['a call as its last message', talk(said('user', 'a'), calls()), 'messages.[1].role', null],
  ['no tools in the list', { tools: [] }, 'tools', 'empty_array'],
  ['tool_choice without tools', { tool_choice: 'auto' }, 'tool_choice', null],
  ['parallel_tool_calls without tools', { parallel_tool_calls: true }, 'parallel_tool_calls', null],
  [
    'a tool_choice that is no tool',
    { tools: [getTime], tool_choice: { type: 'function', function: { name: 'other' } } },
    'tool_choice',
    null,
  ],
  ['an unknown tool_choice', { tools: [getTime], tool_choice: 'any' }, 'tool_choice', 'invalid_value'],
  ['a tool without a name', offer({}), 'tools[0].function.name', missing],
  ['a tool with dots in its name', offer({ name: 'a.b' }), 'tools[0].function.name', 'invalid_value'],
  [
    'a tool with a long name',
    offer({ name: 'a'.repeat(65) }),
    'tools[0].function.name',
    'string_above_max_length',
  ],
  ['a flat tool', { tools: [{ type: 'function', name: 'a' }] }, 'tools[0].function', missing],
  [
    'parameters that are no object',
    offer({ name: 'a', parameters: { type: 'string' } }),
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  [
    'strict parameters that are open',
    offer({ name: 'a', strict: true, parameters: { type: 'object', properties: {} } }),
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  ['JSON mode without the word', { response_format: { type: 'json_object' } }, 'messages', null],
  ['a schema without a name', answerIn({}), 'response_format.json_schema.name', missing],
  [
    'a strict schema with optional properties',
    answerIn({ name: 'a', strict: true, schema: loose }),
    'response_format',
    null,
  ],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', null],
  ['top_logprobs without logprobs', { top_logprobs: 2 }, 'top_logprobs', null],
  [
    'a long prompt_cache_key',
    { prompt_cache_key: 'k'.repeat(65) },
    'prompt_cache_key',
    'string_above_max_length',
  ],
  [
    'an unknown effort',
    { model: 'reasoning-sim', reasoning_effort: 'enormous' },
    'reasoning_effort',
    'invalid_value',
  ],
  ['an effort for a model that does not think', { reasoning_effort: 'low' }, 'reasoning_effort', unsupported],
  [
    'a temperature for a model that thinks',
    { model: 'atlas-large-2026-09', temperature: 0.5 },
    'temperature',
    'unsupported_value',
  ],
  ['top_p for a model that thinks', { model: 'gpt-5-mini', top_p: 0.5 }, 'top_p', 'unsupported_value'],
  ['logprobs of a model that thinks', { model: 'o4-mini', logprobs: true }, 'logprobs', unsupported],
  [
    'max_tokens for another model that thinks',
    { model: 'atlas-thinker-2026-04', max_tokens: 5 },
    'max_tokens',
    unsupported,
  ],
  ['metadata of nothing stored', { metadata: { a: 'b' } }, 'metadata', null],
  ['metadata that is declined', { metadata: { a: 'b' }, store: false }, 'metadata', null],
  ['functions beside tools', { functions: [{ name: 'a' }], tools: [getTime] }, 'functions', null],
  ['function_call without functions', { function_call: 'auto' }, 'function_call', null],
  [
    'a call of a function with dots in its name',
    talk(calls('a.b'), result('a')),
    'messages[0].tool_calls[0].function.name',
    'invalid_value',
  ],
  [
    'an image from a tool',
    talk(calls(), result(part('image_url', image))),
    'messages[1].content[0].type',
    'invalid_value',
  ],
]

describe('a chat request', () => {
  it.each(refusedFields)('with %s is refused', async (_what, fields, param, code) => {
    const { status, body } = await send({ model: 'gpt-sim', messages: hello, ...fields })
    expect(body).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code },
    })
    expect(status).toBe(400)
  })

  it('is refused without a model, as not JSON, or under another content type', async () => {
    expect((await send({ messages: hello })).body.error.message).toBe('you must provide a model parameter')
    expect((await send('{"model":')).body.error.message).toContain('We could not parse the JSON body')
    expect((await send('a=b', { contentType: 'text/plain' })).body.error.code).toBe(
      'unsupported_content_type',
    )
    expect((await send('[]')).status).toBe(400)
  })

  it('takes null for every optional parameter', async () => {
    const names = ['temperature', 'max_tokens', 'stop', 'stream', 'user', 'logit_bias', 'n']
    const absent = Object.fromEntries(names.map(name => [name, null]))
    expect((await send({ model: 'gpt-sim', messages: hello, ...absent })).status).toBe(200)
  })

  it.each<[what: string, fields: JsonRecord]>([
    ['metadata of what is stored', { metadata: { a: 'b' }, store: true }],
    ['an effort for a model that thinks', { model: 'atlas-thinker-2026-04', reasoning_effort: 'high' }],
    ['sampling at its default for a model that thinks', { model: 'o4-mini', temperature: 1, top_p: 1 }],
    ['arguments of a call that are no JSON', talk(calls('a', '{"a":'), result())],
    ['tools of free text', { tools: [getTime, { type: 'custom', custom: { name: 'grep' } }] }],
    [
      'a choice of one',
      {
        tools: [{ type: 'custom', custom: { name: 'grep', format: { type: 'text' } } }],
        tool_choice: { type: 'custom', custom: { name: 'grep' } },
      },
    ],
  ])('with %s is taken', async (_what, fields) =>
    expect((await send({ model: 'gpt-sim', messages: hello, ...fields })).status).toBe(200),
  )

  it('says as the vendor does what was wrong', async () => {
    const { body } = await send({ model: 'gpt-sim', messages: hello, temperature: 3 })
    expect(body.error.message).toBe(
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
    )
  })

  it('for a model that is missing is a 404', async () => {
    const { status, body } = await send({ model: 'missing-model', messages: hello })
    expect(status).toBe(404)
    expect(body.error).toMatchObject({ code: 'model_not_found', param: null, type: 'invalid_request_error' })
  })
})

describe('a key', () => {
  it.each([
    ['', null],
    ['sim-bad-key-of-somebody', 'invalid_api_key'],
    ['sk-something', 'invalid_api_key'],
    ['sim-401', 'invalid_api_key'],
  ])('%j is refused with 401', async (key, code) => {
    const { status, body } = await send({ model: 'gpt-sim', messages: hello }, { key })
    expect(status).toBe(401)
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param: null, code })
  })

  it('is shown masked in the refusal', async () => {
    const { body } = await send({}, { key: 'sim-bad-key-of-somebody' })
    expect(body.error.message).toMatch(/^Incorrect API key provided: sim-bad-\*+body\. /)
  })

  it.each([429, 500, 503])('that names the status %i is refused with it', async expected => {
    const { status } = await send({ model: 'gpt-sim', messages: hello }, { key: `sim-${expected}-team` })
    expect(status).toBe(expected)
  })
})

describe('an address', () => {
  it('that is not there, or not under this method, is refused in the same shape', async () => {
    const unknown = await fetch(`${simulator.url}/openai/v1/chat`)
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({ error: { message: 'Invalid URL (GET /v1/chat)' } })
    const wrong = await fetch(`${simulator.url}/openai/v1/chat/completions`)
    expect(wrong.status).toBe(405)
    expect(await wrong.json()).toMatchObject({ error: { code: 'method_not_supported' } })
    expect(wrong.headers.get('x-request-id')).toMatch(/^req_/)
  })
})

describe('the official client', () => {
  it('raises its own error for each', async () => {
    const create = (apiKey: string) =>
      new OpenAI({
        baseURL: `${simulator.url}/openai/v1`,
        apiKey,
        maxRetries: 0,
      }).chat.completions.create({ model: 'gpt-sim', messages: [{ role: 'user', content: 'a' }] })
    await expect(create('sim-bad')).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(create('sim-429')).rejects.toBeInstanceOf(OpenAI.RateLimitError)
    await expect(create('sim-503')).rejects.toBeInstanceOf(OpenAI.InternalServerError)
  })
})
