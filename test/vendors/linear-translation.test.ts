import { describe, expect, it } from 'vitest'
import { responses } from '../../inference-edge/protocols/responses/protocol.ts'
import type { ChatRequest, ContentPart, Message } from '../../schema/wire/chat.ts'
import type { ChatCall } from '../../upstreams/chat-adapter.ts'
import { translateRequest as forVendorB } from '../../upstreams/formats/anthropic-messages/request.ts'
import { translateRequest as forVendorC } from '../../upstreams/formats/gemini/request.ts'
import { translateRequest as forVendorA } from '../../upstreams/formats/openai-chat/request.ts'
import { aChatCall } from '../harness/a-chat-call.ts'
import { countWork } from './count-work.ts'

/**
 * Eight times as much of anything costs about eight times the work. A quadratic loop costs up to 64 times; the counts vary
 * by less than a tenth.
 */
const maxGrowth = 14
const [few, many] = [240, 1_920]

const hello: Message = { role: 'user', content: 'Hello' }
const png = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
const aCall = (id: string) => ({ id, type: 'function' as const, function: { name: 'now', arguments: '{}' } })
const aResult = (id: string, content: Message['content'] = 'ok'): Message => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
const aTool = (name: string) => ({ type: 'function', function: { name } })
const list = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at))

/** One dimension of a request each. */
const dimensions: Record<string, (count: number) => Partial<ChatRequest>> = {
  'messages of the user': count => ({ messages: list(count, () => hello) }),
  'messages of the system': count => ({
    messages: [...list(count, () => ({ role: 'system' as const, content: 'Be brief.' })), hello],
  }),
  'turns of both sides': count => ({
    messages: [...list(count, () => [hello, { role: 'assistant' as const, content: 'Hi' }]).flat(), hello],
  }),
  'parts of a message': count => ({
    messages: [{ role: 'user', content: list(count, (): ContentPart => ({ type: 'text', text: 'a' })) }],
  }),
  'images of a message': count => ({ messages: [{ role: 'user', content: list(count, () => png) }] }),
  'calls with one id': count => ({
    messages: [
      hello,
      { role: 'assistant', content: null, tool_calls: list(count, () => aCall('x')) },
      ...list(count, () => aResult('x')),
    ],
  }),
  'turns of calls with one id': count => ({
    messages: [
      hello,
      ...list(count, () => [
        { role: 'assistant' as const, content: null, tool_calls: [aCall('x')] },
        aResult('x'),
      ]).flat(),
    ],
  }),
  'results in reverse': count => ({
    messages: [
      hello,
      { role: 'assistant', content: null, tool_calls: list(count, at => aCall(`call_${at}`)) },
      ...list(count, at => aResult(`call_${count - 1 - at}`)),
    ],
  }),
  "calls in the assistant's messages in a row": count => ({
    messages: [
      hello,
      ...list(count, at => ({
        role: 'assistant' as const,
        content: null,
        tool_calls: [aCall(`call_${at}`)],
      })),
      ...list(count, at => aResult(`call_${at}`)),
    ],
  }),
  'images in results': count => ({
    messages: [
      hello,
      { role: 'assistant', content: null, tool_calls: list(count, at => aCall(`call_${at}`)) },
      ...list(count, at => aResult(`call_${at}`, [png])),
    ],
  }),
  'tools, all of them allowed by name': count => ({
    tools: list(count, at => aTool(`tool_${at}`)),
    tool_choice: allowed(count, 'auto'),
  }),
  'tools, all of them demanded by name': count => ({
    tools: list(count, at => aTool(`tool_${at}`)),
    tool_choice: allowed(count, 'required'),
  }),
  'names of called tools that are not on offer': count => ({
    messages: [
      hello,
      {
        role: 'assistant',
        content: null,
        tool_calls: list(count, at => ({
          ...aCall(`call_${at}`),
          function: { name: `tool_${at}`, arguments: '{}' },
        })),
      },
      ...list(count, at => aResult(`call_${at}`)),
    ],
  }),
  'properties of a schema': count => ({
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'wide',
        schema: {
          type: 'object',
          properties: Object.fromEntries(list(count, at => [`p${at}`, { type: 'string', minLength: 1 }])),
        },
      },
    } as ChatRequest['response_format'],
  }),
}

function allowed(count: number, mode: string): ChatRequest['tool_choice'] {
  const tools = list(count, at => aTool(`tool_${at}`))
  return { type: 'allowed_tools', allowed_tools: { mode, tools } } as ChatRequest['tool_choice']
}

const vendors: Record<string, { model: string; translate: (call: ChatCall) => unknown }> = {
  vendor_a: { model: 'vendor_a/atlas', translate: request => forVendorA(request, {}) },
  'a vendor of that format with a salt': {
    model: 'vendor_e/ember-coder',
    translate: request => forVendorA(request, {}),
  },
  vendor_b: { model: 'vendor_b/lyric', translate: request => forVendorB(request) },
  "vendor_b's earlier model": { model: 'vendor_b/lyric-classic', translate: request => forVendorB(request) },
  vendor_c: {
    model: 'vendor_c/prism-pro',
    translate: request => forVendorC(request, { images: new Map(), origin: 'here' }),
  },
}

describe.each(Object.entries(vendors))('a request for %s', (name, { model, translate }) => {
  it.each(Object.entries(dimensions))(
    'costs eight times the work for eight times the %s',
    (dimension, build) => {
      if (name.includes('salt') && dimension.includes('schema')) return // it is refused before it is read
      const workFor = (count: number) => {
        const call = aChatCall({ model, ...build(count) })
        return countWork(['/upstreams/formats/'], () => translate(call))
      }
      expectLinear(workFor)
    },
  )
})

const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'now', arguments: '{}' })
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' })
const said = { role: 'user', content: 'Hello' }

it.each<[string, (count: number) => object]>([
  ['messages', count => ({ input: list(count, () => said) })],
  ['calls with one id', count => ({ input: list(count, () => [call('x'), output('x')]).flat() })],
  [
    'outputs in reverse',
    count => ({
      input: [...list(count, at => call(`c${at}`)), ...list(count, at => output(`c${count - 1 - at}`))],
    }),
  ],
  [
    'parts of a message',
    count => ({ input: [{ role: 'user', content: list(count, () => ({ type: 'input_text', text: 'a' })) }] }),
  ],
  [
    'tools, all of them allowed by name',
    count => ({
      input: 'Hello',
      tools: list(count, at => ({ type: 'function', name: `tool_${at}` })),
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: list(count, at => ({ type: 'function', name: `tool_${at}` })),
      },
    }),
  ],
  [
    'tools of one namespace',
    count => ({
      input: 'Hello',
      tools: [
        {
          type: 'namespace',
          name: 'all',
          tools: list(count, at => ({ type: 'function', name: `tool_${at}` })),
        },
      ],
    }),
  ],
])(
  'a request of the Responses protocol costs eight times the work for eight times the %s',
  (_dimension, build) => {
    const workFor = (count: number) => {
      const body = { model: 'vendor_a/atlas', ...build(count) }
      return countWork(['/inference-edge/protocols/'], () => void responses.read(body))
    }
    expectLinear(workFor)
  },
)

function expectLinear(workFor: (count: number) => number): void {
  workFor(few) // compiles what it runs
  expect(workFor(many) / workFor(few)).toBeLessThan(maxGrowth)
}
