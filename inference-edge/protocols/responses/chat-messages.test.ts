import { expect, test } from 'vitest'
import { responses } from './protocol.ts'

const messagesOf = (input: object[]) => responses.read({ model: 'vendor_a/atlas', input }).request.messages

const user = { role: 'user', content: 'Go' }
const assistant = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look' }] }
const call = (call_id: string, namespace?: string) => ({
  type: 'function_call',
  call_id,
  name: 'look',
  arguments: '{}',
  ...(namespace && { namespace }),
})
const output = (call_id: string, text = `${call_id} seen`) => ({
  type: 'function_call_output',
  call_id,
  output: text,
})
const chatCall = (id: string, name = 'look') => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})
const chatOutput = (id: string, content = `${id} seen`) => ({ role: 'tool', tool_call_id: id, content })

test('calls belong to the assistant message before them; reasoning between them is dropped', () => {
  expect(
    messagesOf([
      user,
      assistant,
      { type: 'reasoning', summary: [] },
      call('a'),
      call('b'),
      output('a'),
      output('b'),
    ]),
  ).toEqual([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'I look', tool_calls: [chatCall('a'), chatCall('b')] },
    chatOutput('a'),
    chatOutput('b'),
  ])
})

test('calls made one after the other do not become parallel', () => {
  expect(messagesOf([user, call('a'), output('a'), call('b'), output('b')])).toEqual([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [chatCall('a')] },
    chatOutput('a'),
    { role: 'assistant', content: null, tool_calls: [chatCall('b')] },
    chatOutput('b'),
  ])
})

test('an output may even come before its call', () => {
  expect(messagesOf([output('a'), user, call('a')]).at(-1)).toEqual(chatOutput('a'))
})

test('a call id that is used again in a later turn has its own output', () => {
  const messages = messagesOf([user, call('a'), output('a', 'first'), user, call('a'), output('a', 'second')])
  expect(messages.filter(message => message.role === 'tool')).toEqual([
    chatOutput('a', 'first'),
    chatOutput('a', 'second'),
  ])
})

test('a call in a namespace has the flat name, also when its tool is no longer offered', () => {
  const [, made] = messagesOf([user, call('a', 'maps'), output('a')])
  expect(made?.tool_calls).toEqual([chatCall('a', 'maps__look')])
})
