import { expect, test } from 'vitest'
import { boundPrompt, boundTokens } from '../../domain/inference/count-prompt.ts'
import { messages } from './messages/protocol.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses/protocol.ts'

const many = (tool: (at: number) => object) => Array.from({ length: 500 }, (_, at) => tool(at))
const said = { model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }
const asked = { model: 'vendor_a/atlas', input: 'Hi' }

test.each<[string, Protocol, object]>([
  ['a shell', messages, { ...said, tools: many(() => ({ type: 'bash_20250124', name: 'bash' })) }],
  ['an editor', messages, { ...said, tools: many(() => ({ type: 'text_editor_20250728', name: 'e' })) }],
  [
    'a function',
    messages,
    { ...said, tools: many(at => ({ name: `f${at}`, input_schema: { type: 'object' } })) },
  ],
  ['a shell here', responses, { ...asked, tools: many(() => ({ type: 'shell' })) }],
  ['a patch', responses, { ...asked, tools: many(() => ({ type: 'apply_patch' })) }],
  ['free text', responses, { ...asked, tools: many(at => ({ type: 'custom', name: `c${at}` })) }],
])('a tool that is told in more words than it was named in is held for: %s', (_, protocol, body) => {
  const { request, addedBytes = 0 } = protocol.read(body)
  const bodyBytes = Buffer.byteLength(JSON.stringify(body))
  const told = JSON.stringify(request.tools?.map(tool => tool.function))
  expect(boundTokens(boundPrompt(request, bodyBytes + addedBytes))).toBeGreaterThan(told.length)
})
