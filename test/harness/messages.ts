import type { Message } from '../../schema/wire/chat.ts'

type Content = Message['content']
type Call = ReturnType<typeof calling>

export const user = (content: Content): Message => ({ role: 'user', content })
export const system = (content: Content): Message => ({ role: 'system', content })

/** A call of a function, as a client sends it back. */
export const calling = (id: string, name = 'get_weather', text = '{"city":"Bern"}') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
})

/** A message of the assistant with calls, or calls of the weather by their IDs. */
export const assistant = (content: Content, ...calls: (string | Call)[]): Message => ({
  role: 'assistant',
  content,
  ...(calls.length > 0 && {
    tool_calls: calls.map(call => (typeof call === 'string' ? calling(call) : call)),
  }),
})

/** The result of a call. */
export const result = (id: string, content: Content = 'sunny'): Message => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
