import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { problemAt, thrownBy as thrown } from '../../../test/harness/a-refusal.ts'
import { translateTools } from './tools.ts'

function toolsOf(fields: Partial<ChatRequest>, model = 'vendor_b/lyric') {
  const { request, entry } = aChatCall({ model, ...fields })
  return translateTools(request, undefined, entry.chat)
}

const thrownBy = (fields: Partial<ChatRequest>) => thrown(() => toolsOf(fields))
const refusal = (param: string, errorName = 'invalid_request') => problemAt(param, errorName)

const tool = (name: string, parameters?: Record<string, unknown>) => ({
  type: 'function',
  function: { name, parameters },
})
const one = [tool('one')]
const two = [tool('one'), tool('two')]

it('no tools: calls in the history are declared, and none may be called', () => {
  const messages = [
    { role: 'user' as const, content: '?' },
    {
      role: 'assistant' as const,
      tool_calls: ['a', 'b'].map(id => ({ id, function: { name: 'one', arguments: '' } })),
    },
  ]
  const declared = { name: 'one', input_schema: { type: 'object', properties: {} } }
  expect(toolsOf({ messages, tools: [] })).toEqual({ tools: [declared], tool_choice: { type: 'none' } })
  expect(toolsOf({ messages, tools: two, tool_choice: 'none' })).toMatchObject({
    tools: [{ name: 'one' }, { name: 'two' }],
    tool_choice: { type: 'none' },
  })
})

describe('the choice', () => {
  it.each<[string, Partial<ChatRequest>, object]>([
    ['auto', { tool_choice: 'auto' }, { type: 'auto' }],
    ['nothing given', {}, { type: 'auto' }],
    ['required', { tool_choice: 'required' }, { type: 'any' }],
    ['none', { tool_choice: 'none', parallel_tool_calls: false }, { type: 'none' }],
    ['one at a time', { parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      'exactly one',
      { tool_choice: 'required', parallel_tool_calls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
  ])('%s', (_what, fields, tool_choice) => {
    expect(toolsOf({ tools: two, ...fields })).toMatchObject({ tools: [{}, {}], tool_choice })
  })

  it('a function by name', () => {
    const choice = (name: string) => ({ type: 'function', function: { name } })
    const chosen = toolsOf({ tools: two, tool_choice: choice('two') }).tool_choice
    expect(chosen).toEqual({ type: 'tool', name: 'two' })
    expect(thrownBy({ tools: two, tool_choice: choice('three') })).toEqual(refusal('tool_choice'))
  })

  it('a list of those allowed leaves the others out', () => {
    const allowed = (mode: string, ...names: string[]) => ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: names.map(name => ({ type: 'function', function: { name } })) },
    })
    const offer = toolsOf({ tools: two, tool_choice: allowed('required', 'two') })
    expect(offer.tools?.map(kept => 'name' in kept && kept.name)).toEqual(['two'])
    expect(offer.tool_choice).toEqual({ type: 'any' })
    expect(toolsOf({ tools: two, tool_choice: allowed('auto', 'two') }).tool_choice).toEqual({ type: 'auto' })
    expect(thrownBy({ tools: two, tool_choice: allowed('auto') })).toEqual(refusal('tool_choice'))
    expect(thrownBy({ tools: two, tool_choice: allowed('auto', 'three') })).toEqual(refusal('tool_choice'))
  })

  it('anything else is refused', () => {
    expect(thrownBy({ tools: two, tool_choice: 'any' })).toEqual(refusal('tool_choice'))
    expect(thrownBy({ tools: two, tool_choice: { type: 'custom' } })).toEqual(refusal('tool_choice'))
  })
})

describe('names', () => {
  it.each(['a.b', 'a/b', 'ä', 'a b', 'a'.repeat(129)])('%s is refused', name => {
    expect(thrownBy({ tools: [tool('fine'), tool(name)] })).toEqual(refusal('tools[1].function.name'))
  })

  it('128 characters are taken, the same name twice is not', () => {
    expect(thrownBy({ tools: [tool('a'.repeat(128))] })).toBe('nothing')
    expect(thrownBy({ tools: [...one, ...one] })).toEqual(refusal('tools[1].function.name'))
  })
})

describe('schemas', () => {
  const bound = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { type: ['string', 'null'], maxLength: 5 } },
    additionalProperties: false,
  }

  it.each<[string, Record<string, unknown> | undefined, object]>([
    ['none', undefined, { type: 'object', properties: {} }],
    ['an empty one', {}, { type: 'object', properties: {} }],
    ['one without its type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    ['a list of types', { type: ['object', 'null'] }, { type: 'object', properties: {} }],
    [
      'a draft, references and bounds',
      { $schema: 'http://json-schema.org/draft-07/schema#', ...bound },
      bound,
    ],
  ])('%s', (_what, parameters, input_schema) => {
    expect(toolsOf({ tools: [tool('one', parameters)] }).tools).toEqual([
      { name: 'one', description: undefined, input_schema },
    ])
  })

  it('what is no object, or a choice at the top, is refused', () => {
    for (const schema of [{ type: 'array' }, { anyOf: [] }])
      expect(thrownBy({ tools: [tool('one', schema)] })).toEqual(refusal('tools[0].function.parameters'))
  })
})

describe('strict', () => {
  const closed = (properties: object, required = Object.keys(properties)) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  })
  const strict = (parameters: object, name = 'one') =>
    ({ type: 'function', function: { name, strict: true, parameters } }) as NonNullable<
      ChatRequest['tools']
    >[0]
  const strictOf = (tools: ChatRequest['tools'], model?: string) =>
    toolsOf({ tools }, model).tools?.filter(offered => offered.strict).length

  it.each([
    ['an open object', { type: 'object', properties: {} }],
    ['a bound', closed({ age: { type: 'integer', minimum: 1 } })],
    ['a schema that holds itself', closed({ next: { $ref: '#' } })],
    ['too many optional properties', closed(named(25), [])],
    ['too many unions', closed(named(17, { type: ['string', 'null'] }))],
  ])('is not where the vendor would refuse the request: %s', (_what, parameters) => {
    expect(strictOf([strict(parameters)])).toBe(0)
  })

  it('is sent for no more tools than the vendor compiles together', () => {
    const tools = Array.from({ length: 30 }, (_, at) =>
      strict(closed({ a: { type: 'string' } }), `tool_${at}`),
    )
    expect(strictOf(tools)).toBe(20)
    expect(strictOf([strict(closed(named(20), []), 'a'), strict(closed(named(20), []), 'b')])).toBe(1)
  })

  it('is not sent to earlier models', () => {
    expect(strictOf([strict(closed({ city: { type: 'string' } }))], 'vendor_b/lyric-classic')).toBe(0)
  })

  function named(count: number, schema: object = { type: 'string' }): Record<string, object> {
    return Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]))
  }
})
