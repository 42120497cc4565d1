import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../server/json.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

const hello: Json = [{ role: 'user', content: 'Hello' }]
const getTime: Json = { type: 'function', function: { name: 'get_time' } }

function calling(text: string): Json {
  const call = { id: 'x', type: 'function', function: { name: 'a', arguments: text } }
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'x', content: 'b' },
  ]
}

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

const refusedFields: [
  what: string,
  fields: Record<string, Json>,
  param: string | null,
  code: string | null,
][] = [
  ['no messages', { messages: null }, 'messages', 'missing_required_parameter'],
  ['no message at all', { messages: [] }, 'messages', 'empty_array'],
  ['messages that are no list', { messages: 'Hello' }, 'messages', 'invalid_type'],
  ['an unknown parameter', { top_k: 5 }, 'top_k', 'unknown_parameter'],
  [
    'an unknown parameter of a message',
    { messages: [{ role: 'user', content: 'a', cache_control: {} }] },
    'messages[0].cache_control',
    'unknown_parameter',
  ],
  ['temperature as text', { temperature: '1' }, 'temperature', 'invalid_type'],
  ['temperature below 0', { temperature: -0.1 }, 'temperature', 'decimal_below_min_value'],
  ['temperature above 2', { temperature: 2.1 }, 'temperature', 'decimal_above_max_value'],
  ['top_p above 1', { top_p: 1.5 }, 'top_p', 'decimal_above_max_value'],
  ['presence_penalty below -2', { presence_penalty: -3 }, 'presence_penalty', 'decimal_below_min_value'],
  ['frequency_penalty above 2', { frequency_penalty: 3 }, 'frequency_penalty', 'decimal_above_max_value'],
  ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens that is not whole', { max_tokens: 1.5 }, 'max_tokens', 'invalid_type'],
  ['both limits', { max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens', 'invalid_parameter_combination'],
  [
    'max_tokens for a reasoning model',
    { model: 'reasoning-sim', max_tokens: 5 },
    'max_tokens',
    'unsupported_parameter',
  ],
  ['n of 0', { n: 0 }, 'n', 'integer_below_min_value'],
  ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
  ['a stop sequence that is no text', { stop: [1] }, 'stop[0]', 'invalid_type'],
  ['an unknown role', { messages: [{ role: 'robot', content: 'a' }] }, 'messages[0].role', 'invalid_value'],
  ['no role', { messages: [{ content: 'a' }] }, 'messages[0].role', 'missing_required_parameter'],
  ['no content', { messages: [{ role: 'user' }] }, 'messages[0].content', 'missing_required_parameter'],
  ['null content of a user', { messages: [{ role: 'user', content: null }] }, 'messages.[0].content', null],
  [
    'an unknown part',
    { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'an image from the system',
    { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://a.b/c' } }] }] },
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'an image that is no address',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
      ],
    },
    'messages[0].content[0].image_url.url',
    'invalid_value',
  ],
  [
    'an image as a string',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'https://a.b/c' }] }] },
    'messages[0].content[0].image_url',
    'invalid_type',
  ],
  [
    'an orphan tool result',
    { messages: [{ role: 'tool', tool_call_id: 'x', content: 'a' }] },
    'messages.[0].role',
    null,
  ],
  [
    'a call without its result',
    {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'x', type: 'function', function: { name: 'a', arguments: '{}' } }],
        },
        { role: 'user', content: 'b' },
      ],
    },
    'messages.[0].role',
    null,
  ],
  [
    'a call as its last message',
    {
      messages: [
        { role: 'user', content: 'a' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'x', type: 'function', function: { name: 'a', arguments: '{}' } }],
        },
      ],
    },
    'messages.[1].role',
    null,
  ],
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
  [
    'a tool without a name',
    { tools: [{ type: 'function', function: {} }] },
    'tools[0].function.name',
    'missing_required_parameter',
  ],
  [
    'a tool with dots in its name',
    { tools: [{ type: 'function', function: { name: 'a.b' } }] },
    'tools[0].function.name',
    'invalid_value',
  ],
  [
    'a tool with a long name',
    { tools: [{ type: 'function', function: { name: 'a'.repeat(65) } }] },
    'tools[0].function.name',
    'string_above_max_length',
  ],
  [
    'a flat tool',
    { tools: [{ type: 'function', name: 'a' }] },
    'tools[0].function',
    'missing_required_parameter',
  ],
  [
    'parameters that are no object',
    { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'string' } } }] },
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  [
    'strict parameters that are open',
    {
      tools: [
        {
          type: 'function',
          function: { name: 'a', strict: true, parameters: { type: 'object', properties: {} } },
        },
      ],
    },
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  ['JSON mode without the word', { response_format: { type: 'json_object' } }, 'messages', null],
  [
    'a schema without a name',
    { response_format: { type: 'json_schema', json_schema: {} } },
    'response_format.json_schema.name',
    'missing_required_parameter',
  ],
  [
    'a strict schema with optional properties',
    {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'a',
          strict: true,
          schema: { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: false },
        },
      },
    },
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
  [
    'an effort for a model that does not think',
    { reasoning_effort: 'low' },
    'reasoning_effort',
    'unsupported_parameter',
  ],
  [
    'a temperature for a model that thinks',
    { model: 'atlas-large-2026-09', temperature: 0.5 },
    'temperature',
    'unsupported_value',
  ],
  ['top_p for a model that thinks', { model: 'gpt-5-mini', top_p: 0.5 }, 'top_p', 'unsupported_value'],
  [
    'logprobs of a model that thinks',
    { model: 'o4-mini', logprobs: true },
    'logprobs',
    'unsupported_parameter',
  ],
  [
    'max_tokens for another model that thinks',
    { model: 'atlas-thinker-2026-04', max_tokens: 5 },
    'max_tokens',
    'unsupported_parameter',
  ],
  ['metadata of nothing stored', { metadata: { a: 'b' } }, 'metadata', null],
  ['metadata that is declined', { metadata: { a: 'b' }, store: false }, 'metadata', null],
  ['functions beside tools', { functions: [{ name: 'a' }], tools: [getTime] }, 'functions', null],
  ['function_call without functions', { function_call: 'auto' }, 'function_call', null],
  [
    'a call of a function with dots in its name',
    {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'x', type: 'function', function: { name: 'a.b', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'x', content: 'a' },
      ],
    },
    'messages[0].tool_calls[0].function.name',
    'invalid_value',
  ],
  [
    'an image from a tool',
    {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'x', type: 'function', function: { name: 'a', arguments: '{}' } }],
        },
        {
          role: 'tool',
          tool_call_id: 'x',
          content: [{ type: 'image_url', image_url: { url: 'https://a.b/c' } }],
        },
      ],
    },
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
    const absent = {
      temperature: null,
      max_tokens: null,
      stop: null,
      stream: null,
      user: null,
      logit_bias: null,
      n: null,
    }
    expect((await send({ model: 'gpt-sim', messages: hello, ...absent })).status).toBe(200)
  })

  it.each<[what: string, fields: Record<string, Json>]>([
    ['metadata of what is stored', { metadata: { a: 'b' }, store: true }],
    ['an effort for a model that thinks', { model: 'atlas-thinker-2026-04', reasoning_effort: 'high' }],
    ['sampling at its default for a model that thinks', { model: 'o4-mini', temperature: 1, top_p: 1 }],
    ['arguments of a call that are no JSON', { messages: calling('{"a":') }],
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

  it('says in the vendor’s words what was wrong', async () => {
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
    const open = (apiKey: string) =>
      new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey, maxRetries: 0 })
    const ask = (apiKey: string) =>
      open(apiKey).chat.completions.create({ model: 'gpt-sim', messages: [{ role: 'user', content: 'a' }] })
    await expect(ask('sim-bad')).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(ask('sim-429')).rejects.toBeInstanceOf(OpenAI.RateLimitError)
    await expect(ask('sim-503')).rejects.toBeInstanceOf(OpenAI.InternalServerError)
  })
})
