import { describe, expect, it } from 'vitest'
import { responses } from '../../inference-edge/protocols/responses/protocol.ts'
import type { ChatRequest, Message } from '../../schema/wire/chat.ts'
import type { ChatCall } from '../../upstreams/chat-adapter.ts'
import { translateRequest as forVendorB } from '../../upstreams/formats/anthropic-messages/request.ts'
import { translateRequest as forVendorC } from '../../upstreams/formats/gemini/request.ts'
import { translateRequest as forVendorA } from '../../upstreams/formats/openai-chat/request.ts'
import { aChatCall, assistant, calling, result, system, user } from '../harness/a-chat-call.ts'
import { countWork } from './count-work.ts'

/**
 * Eight times as much of anything costs about eight times the work. A quadratic loop costs up to 64 times; the counts vary
 * by less than a tenth.
 */
const maxGrowth = 14
const [few, many] = [240, 1_920]

const hello: Message = { role: 'user', content: 'Hello' }
const png = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
const list = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at))
const ids = (count: number) => list(count, at => `call_${at}`)
const tools = (count: number) => list(count, at => ({ type: 'function', function: { name: `tool_${at}` } }))

/** One dimension of a request each. */
const dimensions: Record<string, (count: number) => Partial<ChatRequest>> = {
  'messages of the user': count => ({ messages: list(count, () => hello) }),
  'messages of the system': count => ({ messages: [...list(count, () => system('Be brief.')), hello] }),
  'turns of both sides': count => ({
    messages: [...list(count, () => [hello, assistant('Hi')]).flat(), hello],
  }),
  'parts of a message': count => ({ messages: [user(list(count, () => ({ type: 'text', text: 'a' })))] }),
  'images of a message': count => ({ messages: [user(list(count, () => png))] }),
  'calls with one id': count => ({
    messages: [hello, assistant(null, ...list(count, () => 'x')), ...list(count, () => result('x'))],
  }),
  'turns of calls with one id': count => ({
    messages: [hello, ...list(count, () => [assistant(null, 'x'), result('x')]).flat()],
  }),
  'results in reverse': count => ({
    messages: [
      hello,
      assistant(null, ...ids(count)),
      ...ids(count)
        .toReversed()
        .map(id => result(id)),
    ],
  }),
  "calls in the assistant's messages in a row": count => ({
    messages: [hello, ...ids(count).map(id => assistant(null, id)), ...ids(count).map(id => result(id))],
  }),
  'images in results': count => ({
    messages: [hello, assistant(null, ...ids(count)), ...ids(count).map(id => result(id, [png]))],
  }),
  'tools, all of them allowed by name': count => ({
    tools: tools(count),
    tool_choice: allowed(count, 'auto'),
  }),
  'tools, all of them demanded by name': count => ({
    ...{ tools: tools(count), tool_choice: allowed(count, 'required') },
  }),
  'names of called tools that are not on offer': count => ({
    messages: [
      hello,
      assistant(null, ...ids(count).map((id, at) => calling(id, `tool_${at}`, '{}'))),
      ...ids(count).map(id => result(id)),
    ],
  }),
  'properties of a schema': count => {
    const properties = Object.fromEntries(list(count, at => [`p${at}`, { type: 'string', minLength: 1 }]))
    const json_schema = { name: 'wide', schema: { type: 'object', properties } }
    return { response_format: { type: 'json_schema', json_schema } as ChatRequest['response_format'] }
  },
}

function allowed(count: number, mode: string): ChatRequest['tool_choice'] {
  const allowed_tools = { mode, tools: tools(count) }
  return { type: 'allowed_tools', allowed_tools } as ChatRequest['tool_choice']
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

const named = (count: number) => list(count, at => ({ type: 'function', name: `tool_${at}` }))

it.each<[string, (count: number) => object]>([
  ['messages', count => ({ input: list(count, () => said) })],
  ['calls with one id', count => ({ input: list(count, () => [call('x'), output('x')]).flat() })],
  [
    'outputs in reverse',
    count => ({ input: [...ids(count).map(call), ...ids(count).toReversed().map(output)] }),
  ],
  [
    'parts',
    count => ({ input: [{ role: 'user', content: list(count, () => ({ type: 'input_text', text: 'a' })) }] }),
  ],
  [
    'tools, all of them allowed by name',
    count => ({
      tools: named(count),
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: named(count) },
    }),
  ],
  ['tools of one namespace', count => ({ tools: [{ type: 'namespace', name: 'all', tools: named(count) }] })],
])(
  'a request of the Responses protocol costs eight times the work for eight times the %s',
  (_dimension, build) => {
    const workFor = (count: number) => {
      const body = { model: 'vendor_a/atlas', input: 'Hello', ...build(count) }
      return countWork(['/inference-edge/protocols/'], () => void responses.read(body))
    }
    expectLinear(workFor)
  },
)

function expectLinear(workFor: (count: number) => number): void {
  workFor(few) // compiles what it runs
  expect(workFor(many) / workFor(few)).toBeLessThan(maxGrowth)
}
