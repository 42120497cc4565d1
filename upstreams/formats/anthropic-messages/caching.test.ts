import { expect, it } from 'vitest'
import type { ChatRequest, Message } from '../../../schema/wire/chat.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { translateRequest } from './request.ts'

const cache_control = { type: 'ephemeral' as const }
const hour = { type: 'ephemeral' as const, ttl: '1h' as const }

const say = (
  role: 'system' | 'user' | 'assistant',
  text: string,
  mark?: typeof cache_control | typeof hour,
): Message => ({ role, content: [{ type: 'text', text, ...(mark && { cache_control: mark }) }] })
const aTool = (name: string, mark?: typeof cache_control) => ({
  type: 'function',
  function: { name },
  ...(mark && { cache_control: mark }),
})

/** Returns the text or name of each part with a breakpoint, and the breakpoint's lifetime. */
function marksOf(fields: Partial<ChatRequest>, byokId?: string): [string, string | undefined][] {
  const call = aChatCall({ model: 'vendor_b/lyric', ...fields })
  const { tools = [], system = [], messages } = translateRequest(call, { byokId })
  const blocks: Part[] = [system, ...messages.map(({ content }) => content)].flatMap(parts =>
    typeof parts === 'string' ? [] : parts,
  )
  return [...(tools as Part[]), ...blocks].flatMap(({ text, name, cache_control: mark }) =>
    mark ? [[text ?? name ?? '', mark.ttl]] : [],
  )
}

/** What identifies a block or a tool. */
interface Part {
  type?: string | null
  text?: string
  name?: string
  cache_control?: { ttl?: string } | null
}

const markedIn = (fields: Partial<ChatRequest>) => marksOf(fields).map(([name]) => name)

it('the end of the system and of the last two turns of the user are breakpoints', () => {
  const messages = [say('system', 's'), say('user', 'one'), say('assistant', 'Hi'), say('user', 'two')]
  expect(markedIn({ messages })).toEqual(['s', 'one', 'two'])
  expect(markedIn({ messages: [...messages, say('assistant', 'Ho'), say('user', 'three')] })).toEqual([
    's',
    'two',
    'three',
  ])
})

it('those that the client sets hold in their place; what it left out is still marked', () => {
  const messages = [say('system', 's'), say('user', 'one', cache_control), say('user', 'two')]
  expect(markedIn({ messages })).toEqual(['s', 'one'])
  expect(markedIn({ messages, tools: [aTool('a', cache_control)] })).toEqual(['a', 'one'])
})

it('there are never more than four: the first holds, and the last', () => {
  const messages = ['1', '2', '3', '4', '5', '6'].map(text => say('user', text, cache_control))
  expect(markedIn({ messages: [say('system', 's'), ...messages] })).toEqual(['s', '4', '5', '6'])
})

it("one that lasts an hour, which costs more, does so on the customer's own credential alone", () => {
  const messages = [say('system', 's', hour), say('user', 'one')]
  expect(marksOf({ messages })).toEqual([
    ['s', undefined],
    ['one', undefined],
  ])
  expect(marksOf({ messages }, 'own')).toEqual([['s', '1h']])
})
