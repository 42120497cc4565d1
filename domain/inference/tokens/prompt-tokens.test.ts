import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, expect, test } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { countPrompt } from './prompt-tokens.ts'
import { openTokenizer } from './tokenizer.ts'

const tokenizer = openTokenizer()
afterAll(() => tokenizer.close())

/** Much text of few tokens, and of many: about 64 characters a token, and two. */
const cheap = ' '.repeat(100_000)
const dear = Array.from({ length: 100_000 }, (_, at) => String.fromCharCode(33 + ((at * 7919) % 90))).join('')
const dearTokens = countTokens(dear.slice(0, 20_000)) * 5

const user = (content: string) => ({ role: 'user' as const, content })
const callOf = (text: string) => ({
  role: 'assistant' as const,
  content: null,
  tool_calls: [{ id: 'c', type: 'function' as const, function: { name: 'f', arguments: text } }],
})
const ask = (messages: ChatRequest['messages'], more = {}): ChatRequest => ({
  model: 'vendor_a/atlas',
  messages,
  ...more,
})
const slices = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    user(text.slice(at * size, (at + 1) * size)),
  )

test.each<[string, ChatRequest]>([
  ['in one message', ask([user(dear)])],
  ['in the arguments of a call alone', ask([callOf(dear)])],
  ['in the arguments of a call, beside cheap text', ask([user(cheap), callOf(dear)])],
  ['in many short messages, beside a long cheap one', ask([user(cheap), ...slices(dear, 100)])],
  ['in the schema of the answer', ask([user(cheap)], { response_format: { type: 'json_schema', of: dear } })],
  ['in a field that nobody here knows', ask([user(cheap)], { functions: [{ description: dear }] })],
])('nobody chooses what of a prompt is counted: what is dear stands %s', async (_, request) => {
  const counted = await countPrompt(tokenizer, request)
  expect(counted).toBeGreaterThan(dearTokens / 1.6)
  expect(counted).toBeLessThan(dearTokens * 1.6)
})
