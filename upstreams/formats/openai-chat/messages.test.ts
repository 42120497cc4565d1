import { describe, expect, it } from 'vitest'
import type { Message } from '../../../schema/wire/chat.ts'
import { assistant, calling as calledWith, result } from '../../../test/harness/a-chat-call.ts'
import { aRefusal } from '../../../test/harness/a-refusal.ts'
import { translateMessages } from './messages.ts'

const asking: Message = { role: 'user', content: 'So?' }
const call = (id: string, args = '{}', name = 'look') => calledWith(id, name, args)
const calling = (...calls: ReturnType<typeof call>[]) => assistant(null, ...calls)
const text = (content: string) => ({ type: 'text', text: content })
const image = (name: string) => ({ type: 'image_url', image_url: { url: `https://a.b/${name}.png` } })

it('an empty list of calls is not sent', () => {
  for (const [content, tool_calls] of [
    ['Hi', []],
    [null, null],
  ] as const) {
    const [sent] = translateMessages([{ role: 'assistant', content, tool_calls: tool_calls && [] }, asking])
    expect(sent).toEqual({ role: 'assistant', content: content ?? '' })
  }
})

describe('a message without content', () => {
  it.each([null, undefined, []])('of %j gets empty text', content => {
    expect(translateMessages([{ role: 'user', content }])).toEqual([{ role: 'user', content: '' }])
    const empty = { ...result('call_1'), content }
    expect(translateMessages([calling(call('call_1')), empty])[1]).toEqual(result('call_1', ''))
  })

  it('but refuses is left as it is', () => {
    const refusing = { role: 'assistant' as const, content: null, refusal: 'No.' }
    expect(translateMessages([refusing, asking])[0]).toEqual(refusing)
  })
})

it.each([
  ['', '{}'],
  [' \n', '{}'],
  ['{"city": "Bern"}', '{"city": "Bern"}'],
])('arguments of calls: %j go as %j', (given, sent) => {
  const [message] = translateMessages([calling(call('call_1', given)), result('call_1', 'x')])
  expect(message?.tool_calls).toEqual([call('call_1', sent)])
})

describe('images in the results of tools', () => {
  it('follow all results of the turn, in one message of the user that names the calls', () => {
    const messages = [
      asking,
      calling(call('a'), call('b'), call('c')),
      result('b', [text('two'), image('b1'), text('more'), image('b2')]),
      result('a', 'one'),
      result('c', [image('c1')]),
      asking,
    ]
    expect(translateMessages(messages)).toEqual([
      ...messages.slice(0, 2),
      result('b', [text('two'), text('more')]),
      result('a', 'one'),
      result('c', 'See below.'),
      {
        role: 'user',
        content: [
          text('Shown in the result of b:'),
          image('b1'),
          image('b2'),
          text('Shown in the result of c:'),
          image('c1'),
        ],
      },
      asking,
    ])
  })

  it('are labelled with the id that the vendor gets', () => {
    const id = 'functions.look:0'
    const sent = translateMessages([calling(call(id)), result(id, [image('a')])])
    const sentId = sent[1]?.tool_call_id
    expect(sentId).not.toBe(id)
    expect(sent[2]?.content).toContainEqual(text(`Shown in the result of ${sentId}:`))
  })

  it('are left to users who send them', () => {
    const messages: Message[] = [{ role: 'user', content: [text('Look:'), image('a')] }]
    expect(translateMessages(messages)).toBe(messages)
  })
})

it('the name that some clients give the result of a tool does not go: its call has it', () => {
  const messages = [calling(call('call_1')), { ...result('call_1', 'x'), name: 'look' }]
  expect(translateMessages(messages)[1]).toEqual(result('call_1', 'x'))
  const named: Message[] = [{ role: 'user', content: 'Hi', name: 'ann' }]
  expect(translateMessages(named)).toBe(named)
})

it.each(['a.b', 'ä', 'x'.repeat(65)])('names of tools that were called: %s is refused', async name => {
  const messages = [calling(call('call_1', '{}', name)), result('call_1', 'x')]
  expect(await aRefusal(() => translateMessages(messages))).toEqual({
    problem: 'invalid_request',
    param: 'messages[0].tool_calls[0].function.name',
  })
})

it('a call of a tool that takes free text goes as it came, its id as the vendor takes it', () => {
  const custom = { id: 'a.b', type: 'custom' as const, custom: { name: 'grep', input: '{ not JSON' } }
  const messages: Message[] = [{ role: 'assistant', tool_calls: [custom] }, result('a.b', 'found')]
  const [asked, answering] = translateMessages(messages)
  expect(asked?.tool_calls).toEqual([{ ...custom, id: answering?.tool_call_id }])
})
