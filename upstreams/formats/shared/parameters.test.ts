import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatCall, type FlagChanges, noServices, withFlags } from '../../../test/harness/a-chat-call.ts'
import { aRefusal } from '../../../test/harness/a-refusal.ts'
import { adapterOf } from '../../call/adapters.ts'

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
const document = { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=' } }
const sound = { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }
const now = { type: 'function', function: { name: 'now' } }
const format = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } }
const json = { object: 'none', schema: 'none', with_tools: true } as const
const callWith = (text: string) => ({ id: 'call_1', function: { name: 'now', arguments: text } })
const called = (text: string): ChatRequest['messages'] => [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: null, tool_calls: [callWith(text)] },
  { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
]

/** Requests that need a capability, the flags of a model without it, and the parameter in the refusal. */
const beyondFlags: [what: string, fields: Partial<ChatRequest>, flags: FlagChanges, param: string][] = [
  [
    'an image',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, image] }] },
    { vision: false },
    'messages[0].content[1]',
  ],
  [
    'a document',
    { messages: [{ role: 'user', content: [document] }] },
    { documents: false },
    'messages[0].content[0]',
  ],
  ['a sound', { messages: [{ role: 'user', content: [sound] }] }, { audio: false }, 'messages[0].content[0]'],
  ['tools', { tools: [now] }, { tools: false }, 'tools'],
  ['a schema', { response_format: format }, { json }, 'response_format'],
  ['JSON', { response_format: { type: 'json_object' } }, { json }, 'response_format'],
  [
    'JSON beside tools',
    { response_format: { type: 'json_object' }, tools: [now] },
    { json: { object: 'native', schema: 'native', with_tools: false } },
    'response_format',
  ],
  ['an effort', { reasoning_effort: 'low' }, { reasoning: null }, 'reasoning_effort'],
  ['too many stop sequences', { stop: ['a', 'b', 'c'] }, { max_stop_sequences: 2 }, 'stop'],
  ['too many choices', { n: 3 }, { max_choices: 2 }, 'n'],
  ['what its flags refuse', { seed: 1 }, { refused_parameters: ['seed'], ignored_parameters: [] }, 'seed'],
]

describe.each(['vendor_a/atlas-large', 'vendor_b/lyric', 'vendor_c/prism-pro'])('%s', model => {
  function buildRequest(fields: Partial<ChatRequest>, flags: FlagChanges = {}) {
    const call = aChatCall({ model, ...fields })
    const entry = withFlags(call.entry, flags)
    const target = { vendor: entry.provider, baseUrl: 'https://vendor.example', apiKey: 'key' }
    return adapterOf(entry, target).buildRequest({ ...call, entry }, target, noServices)
  }

  it.each(beyondFlags)('refuses %s where it has no way to do it', async (_what, fields, flags, param) =>
    expect(await aRefusal(() => buildRequest(fields, flags))).toEqual({
      problem: 'unsupported_parameter',
      param,
    }),
  )

  it.each(['', ' ', '{}', '{"city":"Bern"}', '{"city":"Be', 'null', '[]'])(
    'takes %j as the arguments of a call',
    async text => expect(await aRefusal(() => buildRequest({ messages: called(text) }))).toBeUndefined(),
  )
})

describe.each(['vendor_b/lyric', 'vendor_c/prism-pro'])('%s', model => {
  it('refuses a call of a tool that takes free text, naming the call', async () => {
    const call = { id: 'call_1', type: 'custom' as const, custom: { name: 'grep', input: 'a' } }
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'b' },
    ]
    const { entry, ...rest } = aChatCall({ model, messages })
    const target = { vendor: entry.provider, baseUrl: 'https://vendor.example', apiKey: 'key' }
    const refused = () => adapterOf(entry, target).buildRequest({ entry, ...rest }, target, noServices)
    expect(await aRefusal(refused)).toEqual({
      problem: 'unsupported_parameter',
      param: 'messages[1].tool_calls[0]',
    })
  })
})
