import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../server/json.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

interface Answer {
  type: string
  error: { type: string; message: string }
  request_id: string
}

const recent = '2026-10-21'
const earlier = '2023-06-01'

async function send(fields: Record<string, Json> | string, headers: Record<string, string | undefined> = {}) {
  const body = { model: 'lyric-5', max_tokens: 10, messages: [said('user', 'Hello')] }
  const all = {
    'content-type': 'application/json',
    'anthropic-version': recent,
    authorization: 'Bearer sim-platform-key',
    ...headers,
  }
  const kept = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined)
  const response = await fetch(`${simulator.url}/anthropic/v1/messages`, {
    method: 'POST',
    headers: kept,
    body: typeof fields === 'string' ? fields : JSON.stringify({ ...body, ...fields }),
  })
  const answer: Answer = JSON.parse(await response.text())
  return { status: response.status, body: answer, requestId: response.headers.get('request-id') }
}

const said = (role: string, content: Json): Json => ({ role, content })
const text = (content: string, more: Record<string, Json> = {}): Json => ({
  type: 'text',
  text: content,
  ...more,
})
const call = (id: string): Json => ({ type: 'tool_use', id, name: 'now', input: {} })
const result = (id: string): Json => ({ type: 'tool_result', tool_use_id: id, content: 'noon' })
const image = (source: Json): Json => ({ type: 'image', source })
const tool = (more: Record<string, Json> = {}): Json => ({
  name: 'now',
  input_schema: { type: 'object' },
  ...more,
})
const mark: Json = { type: 'ephemeral' }
const user = said('user', 'Hello')
const talk = (...content: Json[]): Record<string, Json> => ({ messages: [said('user', content)] })
const turns = (...messages: Json[]): Record<string, Json> => ({ messages, tools: [tool()] })
const format = (schema: Json): Record<string, Json> => ({
  output_config: { format: { type: 'json_schema', schema } },
})

const refused: [what: string, fields: Record<string, Json>, message: string | RegExp][] = [
  ['no messages', { messages: [] }, 'messages: at least one message is required'],
  ['messages that are no list', { messages: 'Hello' }, 'messages: Input should be a valid list'],
  ['a max_tokens that is not whole', { max_tokens: 1.5 }, 'max_tokens: Input should be a valid integer'],
  ['a max_tokens below 0', { max_tokens: -1 }, /^max_tokens: Input should be greater/],
  ['a max_tokens beyond all', { max_tokens: 200_000 }, /maximum allowed number of output tokens/],
  ['an unknown field', { seed: 5 }, 'seed: Extra inputs are not permitted'],
  [
    'an unknown field of a message',
    { messages: [{ role: 'user', content: 'a', name: 'b' }] },
    /^messages\.0\.name: Extra/,
  ],
  ['an unknown role', { messages: [said('tool', 'a')] }, /^messages\.0\.role: Input should be/],
  ['an empty text', talk(text('')), 'messages: text content blocks must be non-empty'],
  [
    'a text of white space',
    talk(text(' \n')),
    'messages: text content blocks must contain non-whitespace text',
  ],
  ['an empty message', { messages: [said('user', '')] }, /all messages must have non-empty content/],
  ['an empty system text', { system: [text('')] }, 'messages: text content blocks must be non-empty'],
  ['a system image', { system: [image({ type: 'url', url: 'https://a.b/c.png' })] }, /not permitted here/],
  ['an unknown block', talk({ type: 'video' }), /^messages\.0\.content\.0\.type: Input should be/],
  ['a call of a user', talk(call('a')), /`tool_use` blocks are not permitted here/],
  ['a result of an assistant', turns(user, said('assistant', [result('a')]), user), /not permitted here/],
  [
    'an image of SVG',
    talk(image({ type: 'base64', media_type: 'image/svg+xml', data: 'aaaa' })),
    /media_type/,
  ],
  [
    'an image that is no base64',
    talk(image({ type: 'base64', media_type: 'image/png', data: 'a*' })),
    /invalid base64/,
  ],
  ['an image over plain HTTP', talk(image({ type: 'url', url: 'http://a.b/c.png' })), /Only HTTPS URLs/],
  ['an orphan result', turns(said('user', [result('a')])), /unexpected `tool_use_id` found .*: a\./],
  [
    'a call without its result',
    turns(user, said('assistant', [call('a')]), user),
    /without `tool_result` blocks immediately after: a/,
  ],
  ['a call at the end', turns(user, said('assistant', [call('a')])), /prefill/],
  [
    'a result that comes late',
    turns(user, said('assistant', [call('a')]), user, said('user', [result('a')])),
    /immediately after: a|unexpected/,
  ],
  [
    'a text before the result',
    turns(user, said('assistant', [call('a')]), said('user', [text('So'), result('a')])),
    /must come before all other content/,
  ],
  [
    'one result twice',
    turns(user, said('assistant', [call('a')]), said('user', [result('a'), result('a')])),
    /single result/,
  ],
  [
    'one id twice',
    turns(
      user,
      said('assistant', [call('a')]),
      said('user', [result('a')]),
      said('assistant', [call('a')]),
      said('user', [result('a')]),
    ),
    'messages: `tool_use` ids must be unique',
  ],
  [
    'a foreign id',
    turns(user, said('assistant', [call('a.b')]), said('user', [result('a.b')])),
    /should match pattern/,
  ],
  [
    'calls without tools',
    { messages: [user, said('assistant', [call('a')]), said('user', [result('a')])] },
    /must define tools/,
  ],
  ['prefill', { messages: [user, said('assistant', 'Once')] }, /does not support assistant message prefill/],
  [
    'a system message first',
    { messages: [said('system', 'Be brief'), user] },
    /must follow a 'user' message/,
  ],
  [
    'a system message before a user',
    { messages: [user, said('system', 'Be brief'), user] },
    /followed by an 'assistant'/,
  ],
  [
    'five breakpoints',
    talk(...[1, 2, 3, 4, 5].map(() => text('a', { cache_control: mark }))),
    /maximum of 4 blocks .* Found 5/,
  ],
  [
    'a breakpoint that is none',
    talk(text('a', { cache_control: { type: 'forever' } })),
    /cache_control\.type/,
  ],
  ['a tool without a schema', { tools: [{ name: 'now' }] }, 'tools.0.custom.input_schema: Field required'],
  [
    'a schema that is no object',
    { tools: [tool({ input_schema: { type: 'array' } })] },
    /Input should be 'object'/,
  ],
  [
    'a choice at the top of a schema',
    { tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] },
    /at the top level/,
  ],
  ['a strict tool with an open schema', { tools: [tool({ strict: true })] }, /additionalProperties/],
  [
    'a tool name with a dot',
    { tools: [tool({ name: 'a.b' })] },
    /^tools\.0\.custom\.name: String should match/,
  ],
  ['two tools of one name', { tools: [tool(), tool()] }, 'tools: Tool names must be unique.'],
  ['a choice without tools', { tool_choice: { type: 'auto' } }, /only be specified while providing tools/],
  [
    'a choice of another tool',
    { tools: [tool()], tool_choice: { type: 'tool', name: 'then' } },
    /Tool 'then' not found/,
  ],
  [
    'a choice of another vendor',
    { tools: [tool()], tool_choice: { type: 'required' } },
    /^tool_choice\.type/,
  ],
  ['a white stop sequence', { stop_sequences: [' '] }, /must contain non-whitespace/],
  ['a temperature', { temperature: 1 }, /^temperature: sampling/],
  ['an effort that is none', { output_config: { effort: 'none' } }, /^output_config\.effort/],
  ['an open schema of the answer', format({ type: 'object' }), /must be explicitly set to false/],
  ['a bound in a schema of the answer', format({ type: 'integer', minimum: 1 }), /minimum are not supported/],
  [
    'thinking with a forced tool',
    { tools: [tool()], tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } },
    /Thinking may not/,
  ],
  ['thinking by budget', { thinking: { type: 'enabled', budget_tokens: 2000 } }, /^thinking\.type/],
]

describe('a request that Anthropic would refuse', () => {
  it.each(refused)('%s', async (_what, fields, message) => {
    const { status, body, requestId } = await send(fields)
    expect(status).toBe(400)
    expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(body.error.message).toMatch(message)
    expect(requestId).toMatch(/^req_/)
  })

  it('no max_tokens, no model, no JSON', async () => {
    expect((await send('{"model":"lyric-5","messages":[]}')).body.error.message).toBe(
      'max_tokens: Field required',
    )
    expect((await send('{"max_tokens":5}')).body.error.message).toBe('model: Field required')
    expect((await send('{')).status).toBe(400)
  })

  it('a model that is not there', async () => {
    expect(await send({ model: 'missing-5' })).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', message: 'model: missing-5' } },
    })
  })
})

describe('schemas that it would have to compile', () => {
  const closed = (properties: Record<string, Json>, required: string[] = []) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  })
  const named = (count: number, schema: Record<string, Json>) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]))

  it.each<[string, Record<string, Json>, string]>([
    ['recursion', closed({ next: { $ref: '#' } }, ['next']), 'Circular reference'],
    ['25 optional properties', closed(named(25, { type: 'string' })), 'too many optional parameters (25)'],
    [
      '17 unions',
      closed(named(17, { type: ['string', 'null'] }), Object.keys(named(17, {}))),
      'union types (17 parameters',
    ],
  ])('%s is refused', async (_what, schema, words) => {
    const { status, body } = await send(format(schema))
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(words)])
  })
})

describe('versions', () => {
  it.each([undefined, '2024-01-01'])('%s is none', async version => {
    const { status, body } = await send({}, { 'anthropic-version': version })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('anthropic-version')])
  })

  it('an earlier model samples, by one of the two, and continues what was begun', async () => {
    const headers = { 'anthropic-version': earlier }
    const model = 'lyric-4'
    expect((await send({ model, temperature: 0.5 }, headers)).status).toBe(200)
    expect((await send({ model, messages: [user, said('assistant', 'Once')] }, headers)).status).toBe(200)
    const both = await send({ model, temperature: 0.5, top_p: 0.5 }, headers)
    expect(both.body.error.message).toContain('cannot both be specified')
    expect((await send({ model, temperature: 1.5 }, headers)).status).toBe(400)
    expect((await send({ model, temperature: 0.5 })).status).toBe(400)
  })

  it.each<[string, Record<string, Json>]>([
    ['effort', { output_config: { effort: 'low' } }],
    ['a schema', format({ type: 'object', additionalProperties: false })],
    ['a system message in the middle', { messages: [user, said('system', 'Be brief')] }],
    ['white space at the end of a prefill', { messages: [user, said('assistant', 'Once ')] }],
  ])('an earlier model refuses %s', async (_what, fields) => {
    expect((await send({ ...fields, model: 'lyric-4' }, { 'anthropic-version': earlier })).status).toBe(400)
  })

  it('a recent model refuses sampling in the earlier version too', async () => {
    expect((await send({ temperature: 1 }, { 'anthropic-version': earlier })).status).toBe(400)
  })
})

describe('credentials', () => {
  it.each([
    ['none', { authorization: undefined }, 401, 'authentication_error'],
    ['an unknown one', { authorization: 'Bearer sim-bad' }, 401, 'authentication_error'],
    ["another vendor's", { authorization: undefined, 'x-api-key': 'sk-proj' }, 401, 'authentication_error'],
    ['one without rights', { authorization: 'Bearer sim-403-team' }, 403, 'permission_error'],
    ['one without money', { authorization: 'Bearer sim-402-team' }, 402, 'billing_error'],
  ])('%s', async (_what, headers, status, type) => {
    expect(await send({}, headers)).toMatchObject({ status, body: { error: { type } } })
  })

  it('x-api-key is as good as a bearer', async () => {
    expect((await send({}, { authorization: undefined, 'x-api-key': 'sim-platform-key' })).status).toBe(200)
  })
})
