import { describe, expect, it } from 'vitest'
import type { Message } from '../../../schema/wire/chat.ts'
import { aChatEntry, assistant, calling, result, system, user } from '../../../test/harness/a-chat-call.ts'
import { problemAt, thrownBy as thrown } from '../../../test/harness/a-refusal.ts'
import { translateMessages } from './messages.ts'

const recent = aChatEntry('vendor_b/lyric').chat
const earlier = aChatEntry('vendor_b/lyric-classic').chat

const text = (content: string) => ({ type: 'text', text: content })
const call = (id: string, input: object = { city: 'Bern' }) => ({
  type: 'tool_use',
  id,
  name: 'get_weather',
  input,
})
const answer = (id: string, content: unknown = [text('sunny')]) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})

const turnsOf = (messages: Message[], chat = recent) => translateMessages(messages, chat).turns

const thrownBy = (messages: Message[], chat = recent) => thrown(() => translateMessages(messages, chat))

const refusal = (param: string, errorName = 'invalid_request') => problemAt(param, errorName)

describe('arguments', () => {
  const inputOf = (args: string) =>
    turnsOf([user('?'), assistant(null, calling('a', 'get_weather', args)), result('a')])[1]?.content

  it('none are {}, and numbers and strings in them stay as they are', () => {
    expect(inputOf('')).toEqual([call('a', {})])
    expect(inputOf(' ')).toEqual([call('a', {})])
    expect(inputOf('{"n":1.5,"s":"ü"}')).toEqual([call('a', { n: 1.5, s: 'ü' })])
  })

  it.each(['{"city":"Be', '[1]', '"a"'])('%s, no object, is shown as the text that it is', args => {
    expect(inputOf(args)).toEqual([call('a', { unparsed_arguments: args })])
  })
})

describe('results', () => {
  it('that answer nothing are refused by their tool_call_id', () => {
    const called = [user('?'), assistant(null, 'a')]
    expect(thrownBy([user('?'), result('a')])).toEqual(refusal('messages[1].tool_call_id'))
    expect(thrownBy([...called, result('b')])).toEqual(refusal('messages[2].tool_call_id'))
    expect(thrownBy([...called, result('a'), result('a')])).toEqual(refusal('messages[3].tool_call_id'))
    const missing = refusal('messages[2].tool_call_id', 'missing_parameter')
    expect(thrownBy([...called, { role: 'tool', content: 'x' }])).toEqual(missing)
  })

  it.each([
    ['at the end', [result('a')]],
    ['before the user goes on', [result('a'), user('So?')]],
    ['before the assistant goes on', [result('a'), assistant('So.'), user('?')]],
    ['around a system message', [system('!'), assistant('So.'), result('b')]],
  ])('that are missing %s name the call', (_when, after) => {
    const param = expect.stringMatching(/tool_calls\[[01]\]$/)
    expect(thrownBy([user('?'), assistant(null, 'a', 'b'), ...after])).toMatchObject({ details: { param } })
  })
})

it('content of results: texts and images as blocks, nothing where it is empty', () => {
  const parts = [
    { type: 'text', text: 'A chart:' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } },
  ]
  const contentOf = (content: Message['content']) =>
    turnsOf([user('?'), assistant(null, 'a'), result('a', content)])[2]?.content
  expect(contentOf(parts)).toEqual([
    answer('a', [
      text('A chart:'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } },
    ]),
  ])
  expect(contentOf('')).toEqual([{ type: 'tool_result', tool_use_id: 'a' }])
  expect(contentOf(null)).toEqual([{ type: 'tool_result', tool_use_id: 'a' }])
})

describe('system messages in the middle', () => {
  const before = [system('One.'), user('A'), system('Two.'), user('B')]
  const messages = [...before, assistant('C'), system('Three.'), user('D')]

  it('stand after the turn of the user, where the model takes them', () => {
    const { system: first, turns } = translateMessages(messages, recent)
    expect(first).toEqual([text('One.')])
    expect(turns).toEqual([
      { role: 'user', content: [text('A'), text('B')] },
      { role: 'system', content: [text('Two.')] },
      { role: 'assistant', content: [text('C')] },
      { role: 'user', content: [text('D')] },
      { role: 'system', content: [text('Three.')] },
    ])
  })

  it('are hoisted in order, where it takes none', () => {
    const { system: all, turns } = translateMessages(messages, earlier)
    expect(all).toEqual([text('One.'), text('Two.'), text('Three.')])
    expect(turns.map(turn => turn.role)).toEqual(['user', 'assistant', 'user'])
  })

  it("after an assistant become the user's, since they must follow one", () => {
    expect(turnsOf([user('A'), assistant('B'), system('Go on.')])).toEqual([
      { role: 'user', content: [text('A')] },
      { role: 'assistant', content: [text('B')] },
      { role: 'user', content: [text('Go on.')] },
    ])
  })

  it('hold text alone', () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.b/c.png' } }
    expect(thrownBy([{ role: 'system', content: [image] }, user('A')])).toEqual(
      refusal('messages[0].content[0]', 'unsupported_parameter'),
    )
  })
})

describe('nothing to answer', () => {
  it('the last word of the system is a question where nobody else speaks', () => {
    expect(translateMessages([system('Be brief.'), system('Write a haiku.')], recent)).toEqual({
      system: [text('Be brief.')],
      turns: [{ role: 'user', content: [text('Write a haiku.')] }],
    })
  })

  it.each([
    ['only an empty message', [user('')]],
    ['only white space', [user([{ type: 'text', text: ' \n' }])]],
  ])('%s', (_what, messages) => {
    expect(thrownBy(messages)).toEqual(refusal('messages'))
    expect(thrownBy(messages, earlier)).toEqual(refusal('messages'))
  })

  it('an answer that was begun is continued by earlier models alone, without the space at its end', () => {
    const messages = [user('Count'), assistant('One, two, ')]
    expect(thrownBy(messages)).toEqual(refusal('messages'))
    expect(turnsOf(messages, earlier).at(-1)).toEqual({ role: 'assistant', content: [text('One, two,')] })
  })
})

describe('one role in a row', () => {
  it('is one turn', () => {
    const messages = [user('A'), user('B'), assistant('C'), assistant('D'), assistant(''), user('E')]
    expect(turnsOf(messages)).toEqual([
      { role: 'user', content: [text('A'), text('B')] },
      { role: 'assistant', content: [text('C'), text('D')] },
      { role: 'user', content: [text('E')] },
    ])
  })

  it('calls of two messages in a row have their results after both', () => {
    const messages = [user('?'), assistant(null, 'a'), assistant('And', 'b'), result('a'), result('b')]
    expect(turnsOf(messages).slice(1)).toEqual([
      { role: 'assistant', content: [text('And'), call('a'), call('b')] },
      { role: 'user', content: [answer('a'), answer('b')] },
    ])
  })
})

it('names of tools in the history are those that the vendor takes', () => {
  const dotted = { id: 'a', function: { name: 'get.weather', arguments: '' } }
  expect(thrownBy([user('?'), { ...assistant(null), tool_calls: [dotted] }, result('a')])).toEqual(
    refusal('messages[1].tool_calls[0].function.name'),
  )
})

it('refusals of before are text, as a part or as a field', () => {
  const part = [{ type: 'refusal', refusal: 'I cannot.' }]
  expect(turnsOf([user('?'), assistant(part), user('Why?')])[1]?.content).toEqual([text('I cannot.')])
  const field = { ...assistant(null), refusal: 'I cannot.' }
  expect(turnsOf([user('?'), field, user('Why?')])[1]?.content).toEqual([text('I cannot.')])
})

describe('a conversation that began with another vendor', () => {
  it('ids with other characters, or too long, are mapped, and the results with them', () => {
    for (const id of ['functions.get_weather:0', `call_${'x'.repeat(90)}`, 'ä']) {
      const [, called, answered] = turnsOf([user('?'), assistant(null, id), result(id)])
      const [made] = called?.content ?? []
      const own = typeof made === 'object' && made.type === 'tool_use' ? made.id : ''
      expect(own).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(answered?.content).toEqual([answer(own)])
    }
  })

  it('an id that comes again is given another one; twice in one turn, the results go by order', () => {
    const messages = [
      ...[user('?'), assistant(null, 'call_0'), result('call_0', 'one')],
      ...[assistant(null, 'call_0', 'call_0'), result('call_0', 'two'), result('call_0', 'three')],
    ]
    expect(turnsOf(messages).slice(1)).toEqual([
      { role: 'assistant', content: [call('call_0')] },
      { role: 'user', content: [answer('call_0', [text('one')])] },
      { role: 'assistant', content: [call('call_0_2'), call('call_0_3')] },
      { role: 'user', content: [answer('call_0_2', [text('two')]), answer('call_0_3', [text('three')])] },
    ])
  })
})

it('what has no place here is refused by name', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'a', format: 'wav' } }
  expect(thrownBy([user([{ type: 'text', text: 'a' }, audio])])).toEqual(
    refusal('messages[0].content[1]', 'unsupported_parameter'),
  )
  expect(thrownBy([user('?'), { role: 'function', name: 'f', content: 'x' }])).toEqual(
    refusal('messages[1].role', 'unsupported_parameter'),
  )
})
