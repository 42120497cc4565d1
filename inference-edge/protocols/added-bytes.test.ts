import { expect, test } from 'vitest'
import { boundPrompt, boundTokens } from '../../domain/inference/count-prompt.ts'
import { messages } from './messages/protocol.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses/protocol.ts'

const many = (tool: (at: number) => object) => Array.from({ length: 500 }, (_, at) => tool(at))
const messagesBody = { model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }
const responsesBody = { model: 'vendor_a/atlas', input: 'Hi' }

test.each<[string, Protocol, object]>([
  ['bash', messages, { ...messagesBody, tools: many(() => ({ type: 'bash_20250124', name: 'bash' })) }],
  [
    'a text editor',
    messages,
    { ...messagesBody, tools: many(() => ({ type: 'text_editor_20250728', name: 'e' })) },
  ],
  [
    'a function',
    messages,
    { ...messagesBody, tools: many(at => ({ name: `f${at}`, input_schema: { type: 'object' } })) },
  ],
  ['a local shell', responses, { ...responsesBody, tools: many(() => ({ type: 'shell' })) }],
  ['apply_patch', responses, { ...responsesBody, tools: many(() => ({ type: 'apply_patch' })) }],
  ['a custom tool', responses, { ...responsesBody, tools: many(at => ({ type: 'custom', name: `c${at}` })) }],
])('the hold covers the function that is sent in place of %s', (_, protocol, body) => {
  const { request, addedBytes = 0 } = protocol.read(body)
  const bodyBytes = Buffer.byteLength(JSON.stringify(body))
  const sent = JSON.stringify(request.tools?.map(tool => tool.function))
  expect(boundTokens(boundPrompt(request, bodyBytes + addedBytes))).toBeGreaterThan(sent.length)
})
