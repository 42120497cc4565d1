import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { buildRequest, withSupportedFormat } from './adapter.ts'

const target = { vendor: 'vendor_b', baseUrl: 'https://api.anthropic.com', apiKey: 'sk-ant' }

describe('headers', () => {
  it('a recent model is spoken to in the newest version, with a bearer', async () => {
    const { headers } = await buildRequest(aChatCall({ model: 'vendor_b/lyric' }), target)
    expect(headers).toEqual({
      'anthropic-version': '2026-10-21',
      authorization: 'Bearer sk-ant',
      'session-id': 'rb-cache-token',
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    })
  })

  it('one that samples, in the version that has sampling, with its header for the key', async () => {
    const { headers } = await buildRequest(
      aChatCall({ model: 'vendor_b/lyric-classic', stream: true }),
      target,
    )
    expect(headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-ant',
      accept: 'text/event-stream',
    })
    expect(headers).not.toHaveProperty('authorization')
  })
})

it.each([
  ['https://api.anthropic.com', 'https://api.anthropic.com', '/v1/messages'],
  ['https://api.anthropic.com/v1/', 'https://api.anthropic.com', '/v1/messages'],
  ['https://proxy.example:8443/anthropic', 'https://proxy.example:8443', '/anthropic/v1/messages'],
  ['https://proxy.example/anthropic/v1', 'https://proxy.example', '/anthropic/v1/messages'],
])('the address: %s', async (baseUrl, origin, path) => {
  const request = await buildRequest(aChatCall({ model: 'vendor_b/lyric' }), { ...target, baseUrl })
  expect(request).toMatchObject({ origin, path })
})

const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }]))

function howKept(schema: object): string {
  const response_format = {
    type: 'json_schema',
    json_schema: { name: 'a', schema },
  } as ChatRequest['response_format']
  return withSupportedFormat(aChatCall({ model: 'vendor_b/lyric', response_format })).entry.chat.json.schema
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
