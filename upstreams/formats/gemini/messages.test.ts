import { describe, expect, it } from 'vitest'
import type { Message } from '../../../schema/wire/chat.ts'
import { aChatEntry, assistant, calling, result, system, user } from '../../../test/harness/a-chat-call.ts'
import { problemAt, thrownBy as thrown } from '../../../test/harness/a-refusal.ts'
import { mintCallId, portableCallId } from '../shared/call-ids.ts'
import { translateMessages } from './messages.ts'

const signing = aChatEntry('vendor_c/prism-pro').chat
const earlier = aChatEntry('vendor_c/prism-lite').chat
const origin = 'here'
const sentinel = 'skip_thought_signature_validator'

const text = (content: string) => ({ text: content })
const call = (name = 'get_weather', args: object = { city: 'Bern' }) => ({ functionCall: { name, args } })
const response = (content = 'sunny', name = 'get_weather') => ({
  functionResponse: { name, response: { result: content } },
})

const translate = (messages: Message[], chat = earlier, images = new Map()) =>
  translateMessages(messages, { chat, images, origin })
const turnsOf = (messages: Message[], chat = earlier) => translate(messages, chat).turns

const thrownBy = (messages: Message[], chat = earlier) => thrown(() => translate(messages, chat))
const refusal = (param: string, errorName = 'invalid_request') => problemAt(param, errorName)

it.each([
  ['', {}],
  ['  ', {}],
  ['null', {}],
  ['{"n":[1,null]}', { n: [1, null] }],
])('arguments: %j is %j', (args, expected) => {
  const turns = turnsOf([user('?'), assistant(null, calling('a', 'now', args)), result('a')])
  expect(turns[1]?.parts).toEqual([call('now', expected)])
})

describe('results of tools', () => {
  const opening = [user('?'), assistant(null, calling('a', 'now'), calling('b', 'get_weather'))]

  it('that nothing called are refused', () => {
    expect(thrownBy([user('?'), result('x')])).toEqual(refusal('messages[1].tool_call_id'))
    expect(thrownBy([...opening, result('a'), result('b'), result('a')])).toEqual(
      refusal('messages[4].tool_call_id'),
    )
    expect(thrownBy([user('?'), { role: 'tool', content: 'x' }])).toEqual(
      refusal('messages[1].tool_call_id', 'missing_parameter'),
    )
  })

  it('that are missing are refused, wherever the conversation goes on', () => {
    for (const next of [[], [user('So?')], [assistant('Well')]]) {
      expect(thrownBy([...opening, result('a'), ...next])).toEqual(refusal('messages[1].tool_calls[1]'))
    }
  })
})

describe('a result in parts', () => {
  it('is its text, with its images in a turn behind', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    const parts = [{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }]
    const turns = turnsOf([user('?'), assistant(null, calling('a')), result('a', parts), user('And?')])
    expect(turns.slice(2)).toEqual([
      { role: 'user', parts: [response('one\ntwo')] },
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }, text('And?')] },
    ])
  })

  it('shows its images itself to models that see them there, each with its own call', () => {
    const image = (data: string) => ({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${data}` },
    })
    const calls = assistant(null, calling('a'), calling('b'))
    const results = [result('b', [image('Yg==')]), result('a', [image('YQ==')])]
    const turns = turnsOf([user('?'), calls, ...results], signing)
    expect(turns.slice(2)).toEqual([
      {
        role: 'user',
        parts: ['YQ==', 'Yg=='].map(data => ({
          functionResponse: expect.objectContaining({
            response: { result: '' },
            parts: [{ inlineData: { mimeType: 'image/png', data } }],
          }),
        })),
      },
    ])
  })

  it('of a call that failed is an error', () => {
    const failed = { ...result('a', 'no such city'), is_error: true }
    const turns = turnsOf([user('?'), assistant(null, calling('a')), failed])
    expect(turns[2]?.parts).toEqual([
      { functionResponse: { name: 'get_weather', response: { error: 'no such city' } } },
    ])
  })
})

describe('system messages', () => {
  it('are parts of the instruction in their order, from wherever they stood', () => {
    const messages = [
      system('One'),
      user('Hi'),
      { ...system('Two'), role: 'developer' as const },
      user('So?'),
    ]
    expect(translate(messages)).toEqual({
      system: [text('One'), text('Two')],
      turns: [{ role: 'user', parts: [text('Hi'), text('So?')] }],
    })
  })

  it("alone are a question: the last of them becomes the user's", () => {
    expect(translate([system('One'), system('Two')])).toEqual({
      system: [text('One')],
      turns: [{ role: 'user', parts: [text('Two')] }],
    })
  })

  it('messages that say nothing are no conversation', () => {
    expect(thrownBy([user('')])).toEqual(refusal('messages'))
  })

  it('hold no images', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    expect(thrownBy([system([image]), user('?')])).toEqual(
      refusal('messages[0].content[0]', 'unsupported_parameter'),
    )
  })
})

it('messages of one side in a row are one turn', () => {
  expect(turnsOf([user('a'), user('b'), assistant('c'), assistant('d'), user('e')])).toEqual([
    { role: 'user', parts: [text('a'), text('b')] },
    { role: 'model', parts: [text('c'), text('d')] },
    { role: 'user', parts: [text('e')] },
  ])
})

describe('the order that the vendor wants', () => {
  it('begins with the user, even where the assistant greets first', () => {
    const turns = turnsOf([assistant('Welcome!'), user('Hi')])
    expect(turns.map(turn => turn.role)).toEqual(['user', 'model', 'user'])
  })

  it('ends with the user: an answer that was begun is not continued', () => {
    expect(thrownBy([user('Hi'), assistant('Well,')])).toEqual(refusal('messages'))
  })
})

describe('signatures', () => {
  const signed = mintCallId({ origin, vendorId: 'fc1', signature: 'c2ln' })
  const callsIn = (messages: Message[]) =>
    turnsOf(messages, signing).flatMap(turn => turn.parts.filter(part => part.functionCall))

  it("come back from the id alone, with the vendor's own id on the call and on its result", () => {
    const turns = turnsOf([user('?'), assistant(null, calling(signed)), result(signed)], signing)
    expect(turns.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'fc1', name: 'get_weather', args: { city: 'Bern' } },
            thoughtSignature: 'c2ln',
          },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'fc1', name: 'get_weather', response: { result: 'sunny' } } }],
      },
    ])
  })

  it('come back from beside the call, for clients that change ids', () => {
    const kept = { ...calling('mine'), extra_content: { google: { thought_signature: 'a2VwdA==' } } }
    const messages = [user('?'), { ...assistant(null), tool_calls: [kept] }, result('mine')]
    expect(callsIn(messages)).toEqual([
      { functionCall: expect.objectContaining({ id: 'mine' }), thoughtSignature: 'a2VwdA==' },
    ])
  })

  it('are stood in for on the first call of every turn that has none', () => {
    const messages = [
      user('?'),
      assistant(null, calling('a'), calling('b', 'now')),
      result('a'),
      result('b'),
      assistant(null, calling('c')),
      result('c'),
    ]
    expect(callsIn(messages).map(part => part.thoughtSignature)).toEqual([sentinel, undefined, sentinel])
  })

  it('of another model or credential are not sent', () => {
    const foreign = mintCallId({ origin: 'elsewhere', vendorId: 'fc1', signature: 'c2ln' })
    const messages = [user('?'), assistant(null, calling(foreign)), result(foreign)]
    expect(callsIn(messages)).toEqual([
      { functionCall: expect.objectContaining({ id: 'fc1' }), thoughtSignature: sentinel },
    ])
  })
})

describe('what other vendors wrote', () => {
  it('translates: their ids, their refusals, their thoughts', () => {
    const id = `functions.get_weather:${'0'.repeat(60)}`
    const thought = { type: 'thinking', thinking: 'hm' }
    const refused = { type: 'refusal', refusal: 'No.' }
    const turns = turnsOf(
      [user('?'), assistant([thought, refused]), user('Please'), assistant(null, calling(id)), result(id)],
      signing,
    )
    expect(turns[1]?.parts).toEqual([text('No.')])
    expect(turns[3]?.parts[0]?.functionCall?.id).toBe(portableCallId(id))
    expect(turns[4]?.parts[0]?.functionResponse?.id).toBe(portableCallId(id))
  })

  it('names that the vendor does not take are refused', () => {
    const messages = [user('?'), assistant(null, calling('a', '2fa')), result('a')]
    expect(thrownBy(messages)).toEqual(refusal('messages[1].tool_calls[0].function.name'))
  })

  it('functions gave way to tools', () => {
    expect(thrownBy([user('?'), { role: 'function', name: 'f', content: 'x' }])).toEqual(
      refusal('messages[1].role', 'unsupported_parameter'),
    )
    const old = { ...assistant(''), function_call: { name: 'f', arguments: '{}' } }
    expect(thrownBy([user('?'), old])).toEqual(refusal('messages[1].function_call', 'unsupported_parameter'))
  })
})

it('text that is half a character is made whole', () => {
  expect(turnsOf([user('a\ud83d')])[0]?.parts).toEqual([text('a\ufffd')])
})
