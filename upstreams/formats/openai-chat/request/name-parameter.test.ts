import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../schema/wire/chat.ts'
import { aChatCall } from '../../../../test/harness/a-chat-call.ts'
import { nameParameter } from './name-parameter.ts'

const image = (name: string) => ({ type: 'image_url', image_url: { url: `https://a.b/${name}.png` } })
const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'look', arguments: '{}' } })
const question: Message = { role: 'user', content: [image('a')] }
const messages: Message[] = [
  question,
  { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
  { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'one' }, image('b')] },
  { role: 'tool', tool_call_id: 'b', content: [image('c')] },
  { role: 'user', content: 'So?' },
]

describe('a parameter that the vendor names', () => {
  it.each([
    ['messages[0].content[0].image_url.url', 'messages[0].content[0].image_url.url'],
    ['messages.[1].role', 'messages[1].role'],
    ['messages[1].tool_calls[1].id', 'messages[1].tool_calls[1].id'],
    ['messages[2].content[0].text', 'messages[2].content[0].text'],
    // The images of both results follow them in a message of ours: label, image, label, image.
    ['messages[4].content[1].image_url.url', 'messages[2].content[1].image_url.url'],
    ['messages[4].content[3].image_url.url', 'messages[3].content[0].image_url.url'],
    ['messages[4].content[0].text', 'messages'],
    ['messages[5].content', 'messages[4].content'],
    ['messages[9].content', 'messages[9].content'],
    ['messages', 'messages'],
    ['tools[0].function.name', 'tools[0].function.name'],
  ])('%s is what the client knows as %s', (param, named) =>
    expect(nameParameter(param, aChatCall({ model: 'vendor_a/atlas', messages }))).toBe(named),
  )

  it('is counted without the salt, alone or before other text', () => {
    const salted = (first: Message) =>
      nameParameter(
        'messages[1].content[0].text',
        aChatCall({ model: 'vendor_d/quill', messages: [first, said] }),
      )
    const said: Message = { role: 'user', content: [{ type: 'text', text: 'a' }] }
    expect(salted({ role: 'system', content: 'Be kind.' })).toBe('messages[1].content[0].text')
    expect(salted(said)).toBe('messages[0].content[0].text')
    const system: Message = { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] }
    const parts = aChatCall({ model: 'vendor_d/quill', messages: [system, said] })
    expect(nameParameter('messages[0].content[1].text', parts)).toBe('messages[0].content[0].text')
  })
})
