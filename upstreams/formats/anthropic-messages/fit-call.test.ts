import { expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { fitCall } from './fit-call.ts'

const baseUrl = 'https://vendor.example'
const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }]))

function howKept(schema: object, at = baseUrl): string {
  const response_format = {
    type: 'json_schema',
    json_schema: { name: 'a', schema },
  } as ChatRequest['response_format']
  return fitCall(aChatCall({ model: 'vendor_b/lyric', response_format }), { baseUrl: at }).entry.chat.json
    .schema
}

it.each<[string, object]>([
  [
    'objects in lists',
    { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
  ],
  [
    'definitions that are used twice',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/City' }, b: { $ref: '#/$defs/City' } },
      required: ['a', 'b'],
      $defs: { City: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    },
  ],
])('the vendor itself keeps %s', (_what, schema) => {
  expect(howKept(schema)).toBe('native')
  expect(howKept(schema, 'https://bedrock-mantle.eu-west-1.api.aws')).toBe('tool')
})

it.each<[string, object]>([
  ['a schema that holds itself', { type: 'object', properties: { next: { $ref: '#' } } }],
  [
    'definitions that hold each other',
    {
      $ref: '#/$defs/A',
      $defs: {
        A: { type: 'object', properties: { b: { $ref: '#/$defs/B' } } },
        B: { type: 'object', properties: { list: { type: 'array', items: { $ref: '#/$defs/A' } } } },
      },
    },
  ],
  [
    'more definitions than are worth following',
    {
      type: 'object',
      $defs: Object.fromEntries(
        Array.from({ length: 50_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
      ),
    },
  ],
  ['many optional properties', { type: 'object', properties: named(25) }],
  ['many properties', { type: 'object', properties: named(201), required: Object.keys(named(201)) }],
  ['objects whose properties have no names', { type: 'object', properties: { any: { type: 'object' } } }],
])('a tool that must be called keeps %s', (_what, schema) => {
  expect(howKept(schema)).toBe('tool')
})
