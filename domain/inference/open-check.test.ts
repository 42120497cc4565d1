import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { nullable, optional } from '../../schema/wire/shapes.ts'
import { openCheck } from './open-check.ts'
import { parseChatRequest } from './parse-chat-request.ts'

const user = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] })

const wrong: [what: string, body: unknown, message: string][] = [
  ['a content of no kind', user(5), 'messages[0].content must be a string or an array.'],
  ['a part of a kind', user([{ type: 'text', text: 5 }]), 'messages[0].content[0].text must be a string.'],
  ['a part without its type', user([{}]), 'messages[0].content[0].type is required.'],
  ['a choice', { ...user('Hi'), tool_choice: 5 }, 'tool_choice must be a string or an object.'],
  ['a list of stops', { ...user('Hi'), stop: 5 }, 'stop must be a string or an array.'],
  ['a number', { ...user('Hi'), temperature: 'hot' }, 'temperature must be a number.'],
  ['a truth', { ...user('Hi'), stream: 'yes' }, 'stream must be true or false.'],
  ['a bound', { ...user('Hi'), top_p: 2 }, 'top_p must be <= 1.'],
  ['a whole body', 5, 'The body must be an object.'],
]
test.each(wrong)('%s that is wrong is told with all that is allowed', (_, body, message) => {
  expect(() => parseChatRequest(body)).toThrow(message)
})

test('words and shapes that are allowed together are named together', () => {
  const check = openCheck(
    Type.Object({
      choice: optional(Type.Union([Type.Enum(['auto', 'none']), Type.Object({ type: Type.String() })])),
      one: nullable(Type.Literal('only')),
    }),
  )
  expect(() => check({ choice: 5, one: null })).toThrow(/^choice must be .*one of auto, none or an object\.$/)
  expect(() => check({ choice: 'perhaps', one: null }, 'tools[0]')).toThrow(/^tools\[0\]\.choice must be /)
  expect(() => check({ one: 'other' })).toThrow(/^one must be only/)
})
