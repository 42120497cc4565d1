import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { problemAt, thrownBy as thrown } from '../../../test/harness/a-refusal.ts'
import { translateRequest } from './request.ts'

const recent = 'vendor_b/lyric'
const earlier = 'vendor_b/lyric-classic'

const bodyOf = (fields: Partial<ChatRequest>, model = recent) =>
  translateRequest(aChatCall({ model, ...fields }))

/** As on the wire: what is undefined is not there. */
const sent = (fields: Partial<ChatRequest>, model = recent): Record<string, unknown> =>
  JSON.parse(JSON.stringify(bodyOf(fields, model)))

const refusal = (param: string, errorName = 'unsupported_parameter') => problemAt(param, errorName)

const thrownBy = (fields: object, model = recent) => thrown(() => bodyOf(fields, model))

const marked = { cache_control: { type: 'ephemeral' } }

const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: {} } },
}

it('the smallest request has a model, a limit, the conversation, its end the breakpoint of the cache, and nothing else', () => {
  expect(sent({})).toEqual({
    model: 'lyric-5',
    max_tokens: 8192,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...marked }] }],
    stream: false,
  })
})

it('the system is one block a message, the last of them the breakpoint of the cache', () => {
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'developer' as const, content: [{ type: 'text', text: 'Be kind.' }] },
    { role: 'user' as const, content: 'Hello' },
  ]
  expect(bodyOf({ messages }).system).toEqual([
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
  ])
})

describe('stop', () => {
  it.each([
    ['a string', 'END', ['END']],
    ['a list', ['A', 'B'], ['A', 'B']],
    ['a list with nothing in it', [''], undefined],
    ['an empty list', [], undefined],
    ['an empty string', '', undefined],
    ['null', null, undefined],
  ])('%s', (_what, stop, stops) => {
    expect(sent({ stop }).stop_sequences).toEqual(stops)
  })

  it('white space alone, and more than the model takes, are refused', () => {
    expect(thrownBy({ stop: [' \n'] })).toEqual(refusal('stop'))
    expect(thrownBy({ stop: ['a', 'b', 'c', 'd', 'e'] })).toEqual(refusal('stop'))
  })
})

describe('what the vendor cannot do', () => {
  it.each<[string, object]>([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['top_logprobs', { top_logprobs: 0 }],
    ['functions', { functions: [] }],
    ['modalities', { modalities: ['text', 'audio'] }],
  ])('%s is refused by name, streamed as well as whole', (param, fields) => {
    for (const stream of [false, true]) expect(thrownBy({ ...fields, stream })).toEqual(refusal(param))
  })

  it('n of 1 and logprobs of false ask for nothing', () => {
    expect(thrownBy({ n: 1, logprobs: false, top_logprobs: null })).toBe('nothing')
  })
})

it('what is dropped: seed, penalties, biases, stream options, identities, storage, unknown fields', () => {
  const fields = {
    ...{ seed: 1, presence_penalty: 1, frequency_penalty: 1, logit_bias: { 5: 1 } },
    ...{ stream_options: { include_usage: true }, user: 'u', safety_identifier: 's', metadata: { a: 'b' } },
    ...{ store: true, service_tier: 'auto', prompt_cache_key: 'k', top_k: 5, verbosity: 'low' },
  }
  expect(sent(fields)).toEqual(sent({}))
})

describe('sampling', () => {
  it('is not sent to recent models', () => {
    expect(sent({ temperature: 1.5, top_p: 0.5 })).toEqual(sent({}))
  })

  it('is clamped for earlier ones, which take temperature or top_p', () => {
    expect(sent({ temperature: 1.5, top_p: 0.5 }, earlier)).toMatchObject({ temperature: 1 })
    expect(sent({ temperature: 1.5, top_p: 0.5 }, earlier)).not.toHaveProperty('top_p')
    expect(sent({ top_p: 0.5 }, earlier)).toMatchObject({ top_p: 0.5 })
    expect(sent({ temperature: 0 }, earlier)).toMatchObject({ temperature: 0 })
  })
})

describe('answers in JSON', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { score: { type: 'integer', minimum: 1 } },
    required: ['score'],
  }
  const byHeart = { type: 'json_schema', json_schema: { name: 'score', description: 'A score.', schema } }

  it('by schema, where the model knows schemas: unwrapped, closed, bounds in the description', () => {
    expect(bodyOf({ response_format: byHeart }).output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { score: { type: 'integer', description: 'It must fit {"minimum":1}.' } },
          required: ['score'],
          additionalProperties: false,
        },
      },
    })
  })

  it('by a tool that must be called, where it knows none', () => {
    expect(sent({ response_format: byHeart }, earlier)).toMatchObject({
      tools: [
        { name: 'give_answer', description: 'A score.', input_schema: { properties: schema.properties } },
      ],
      tool_choice: { type: 'tool', name: 'give_answer' },
    })
    expect(sent({ response_format: byHeart }, earlier)).not.toHaveProperty('output_config')
  })

  it('by an instruction for a JSON object, after the system of the client and cached with it', () => {
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hello' },
    ]
    expect(bodyOf({ messages, response_format: { type: 'json_object' } }).system).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: expect.stringContaining('JSON object'), cache_control: { type: 'ephemeral' } },
    ])
    expect(sent({ response_format: { type: 'text' } })).toEqual(sent({}))
  })

  it('not in a format that is none, nor by a schema that no closed object fits', () => {
    const open = { type: 'object', additionalProperties: { type: 'string' } }
    const { json_schema: details } = byHeart
    const at = 'response_format.json_schema.schema'
    expect(thrownBy({ response_format: { type: 'grammar' } })).toEqual(
      refusal('response_format.type', 'invalid_request'),
    )
    expect(thrownBy({ response_format: { type: 'json_schema' } })).toEqual(
      refusal('response_format.json_schema', 'missing_parameter'),
    )
    expect(thrownBy({ response_format: { ...byHeart, json_schema: { ...details, schema: open } } })).toEqual(
      refusal(at, 'invalid_request'),
    )
    const list = { ...byHeart, json_schema: { ...details, schema: { type: 'array' } } }
    expect(thrownBy({ response_format: list }, earlier)).toEqual(refusal(at, 'invalid_request'))
  })
})

describe('reasoning effort', () => {
  it.each([
    ['minimal', { output_config: { effort: 'low' }, thinking: { type: 'adaptive' } }],
    ['high', { output_config: { effort: 'high' }, thinking: { type: 'adaptive' } }],
    ['max', { output_config: { effort: 'max' }, thinking: { type: 'adaptive' } }],
    ['none', { thinking: { type: 'disabled' } }],
  ])('%s', (effort, expected) => {
    expect(sent({ reasoning_effort: effort })).toEqual({ ...sent({}), ...expected })
  })

  it('an unknown effort is refused, and any by a model whose thinking cannot be controlled', () => {
    expect(thrownBy({ reasoning_effort: 'huge' })).toEqual(refusal('reasoning_effort'))
    expect(thrownBy({ reasoning_effort: 'constructor' })).toEqual(refusal('reasoning_effort'))
    expect(thrownBy({ reasoning_effort: 'low' }, earlier)).toEqual(refusal('reasoning_effort'))
    expect(sent({ reasoning_effort: 'none' }, earlier)).toEqual(sent({}, earlier))
  })
})

describe('thinking', () => {
  it('is left out where a call is forced, since the vendor refuses both together', () => {
    const forced = { tools: [weather], tool_choice: 'required' as const, reasoning_effort: 'high' }
    expect(sent(forced)).not.toHaveProperty('thinking')
    expect(sent(forced)).toMatchObject({ output_config: { effort: 'high' } })
    expect(sent({ ...forced, reasoning_effort: 'none' })).toMatchObject({ thinking: { type: 'disabled' } })
  })

  it.each([
    [
      { type: 'adaptive', display: 'summarized' },
      { type: 'adaptive', display: 'summarized' },
    ],
    [{ type: 'enabled', budget_tokens: 2048 }, { type: 'adaptive' }],
    [{ type: 'disabled' }, { type: 'disabled' }],
    [{ type: 'between_tools' }, { type: 'between_tools' }],
  ])('of a request in the Messages format: %j', (thinking, expected) => {
    expect(sent({ thinking } as Partial<ChatRequest>)).toMatchObject({ thinking: expected })
    expect(sent({ thinking } as Partial<ChatRequest>, earlier)).not.toHaveProperty('thinking')
  })
})
