import { Type } from 'typebox'
import { describe, expect, it, test } from 'vitest'
import { nullable, optional } from '../../schema/wire/shapes.ts'
import { aRefusal } from '../../test/harness/a-refusal.ts'
import { boundFields, openCheck, parseChatRequest } from './parse-chat-request.ts'

const hello = { role: 'user', content: 'Hello' }
const many = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item)
const call = { id: 'x', type: 'function', function: { name: 'now', arguments: '{}' } }
const text = { type: 'text', text: 'a' }

function refusalOf(fields: object) {
  return aRefusal(() => parseChatRequest({ model: 'vendor_a/atlas', messages: [hello], ...fields }))
}

describe('too much of something', () => {
  const parts = (count: number) => ({ ...hello, content: many(count, text) })
  const calls = { role: 'assistant', tool_calls: many(100, call) }

  it.each([
    ['messages', { messages: many(10_001, hello) }, 'messages', '10000'],
    ['parts of one message', { messages: [parts(20_001)] }, 'messages[0].content', '20000'],
    ['parts of all messages', { messages: many(201, parts(100)) }, 'messages[200].content', '20000'],
    ['calls of all messages', { messages: many(201, calls) }, 'messages[200].tool_calls', '20000'],
    ['tools', { tools: many(2_001, { type: 'function', function: { name: 'now' } }) }, 'tools', '2000'],
  ])('is a 400 that names what and how many may be: %s', async (_what, fields, param, bound) => {
    expect(await refusalOf(fields)).toEqual({ problem: 'invalid_request', param })
    expect(() => parseChatRequest({ model: 'm', messages: [hello], ...fields })).toThrow(bound)
  })

  it('is not said of what is within its bounds', async () => {
    expect(await refusalOf({ messages: many(10_000, { ...hello, content: [text, text] }) })).toBeUndefined()
  })
})

describe('what says its type must have the shape of it', () => {
  const part = 'messages[0].content[0]'
  const aPart = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })
  const aTool = (fields: object) => ({ tools: [{ type: 'function', function: fields }] })
  const kept = { name: null, refusal: null, annotations: [], reasoning_content: 'Hm.' }

  it.each([
    ['a function that is none', { tools: [{ type: 'function' }] }, 'tools[0].function'],
    ['a function without a name', aTool({}), 'tools[0].function.name'],
    ['a schema that is a text', aTool({ name: 'a', parameters: 'object' }), 'tools[0].function.parameters'],
    ['a tool without a type', { tools: [{ function: { name: 'a' } }] }, 'tools[0].type'],
    ['a text without text', aPart({ type: 'text' }), `${part}.text`],
    ['an image that is an address alone', aPart({ type: 'image_url', image_url: 'a' }), `${part}.image_url`],
    ['a sound without data', aPart({ type: 'input_audio', input_audio: {} }), `${part}.input_audio.data`],
    ['a breakpoint', aPart({ ...text, cache_control: { type: 'forever' } }), `${part}.cache_control.type`],
  ])('%s', async (_what, fields, param) => {
    expect(await refusalOf(fields)).toMatchObject({ param })
  })

  it.each([
    ['parts of types that are new to us', aPart({ type: 'video', video: 1 })],
    ['tools of types that are new to us', { tools: [{ type: 'web_search' }] }],
    ['fields of history', { messages: [hello, { role: 'assistant', content: 'Hi', ...kept }, hello] }],
  ])('%s are taken', async (_what, fields) => {
    expect(await refusalOf(fields)).toBeUndefined()
  })
})

it('of fields, and of metadata, a body has at most two hundred', async () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1]))
  for (const body of [fields(200), { metadata: fields(200) }, [1], 'text', null]) boundFields(body)
  expect(await aRefusal(() => boundFields(fields(201)))).toEqual({ problem: 'invalid_request' })
  expect(await aRefusal(() => boundFields({ metadata: fields(201) }))).toEqual({
    problem: 'invalid_request',
    param: 'metadata',
  })
})

const user = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] })

const wrong: [what: string, body: unknown, message: string][] = [
  ['a content of no kind', user(5), 'messages[0].content must be a string or an array.'],
  ['a part of a kind', user([{ type: 'text', text: 5 }]), 'messages[0].content[0].text must be a string.'],
  ['a part without its type', user([{}]), 'messages[0].content[0].type is required.'],
  ['a choice', { ...user('Hi'), tool_choice: 5 }, 'tool_choice must be a string or an object.'],
  ['a list of stops', { ...user('Hi'), stop: 5 }, 'stop must be a string or an array.'],
  ['a number', { ...user('Hi'), temperature: 'hot' }, 'temperature must be a number.'],
  ['a truth', { ...user('Hi'), stream: 'yes' }, 'stream must be true or false.'],
  ['a bound', { ...user('Hi'), top_p: 2 }, 'top_p must be <= 1.'],
  ['a whole body', 5, 'The body must be an object.'],
]
test.each(wrong)('%s that is wrong is told with all that is allowed', (_, body, message) => {
  expect(() => parseChatRequest(body)).toThrow(message)
})

test('words and shapes that are allowed together are named together', () => {
  const check = openCheck(
    Type.Object({
      choice: optional(Type.Union([Type.Enum(['auto', 'none']), Type.Object({ type: Type.String() })])),
      one: nullable(Type.Literal('only')),
    }),
  )
  expect(() => check({ choice: 5, one: null })).toThrow(/^choice must be .*one of auto, none or an object\.$/)
  expect(() => check({ choice: 'perhaps', one: null }, 'tools[0]')).toThrow(/^tools\[0\]\.choice must be /)
  expect(() => check({ one: 'other' })).toThrow(/^one must be only/)
})
