import { expect, test } from 'vitest'
import { perFile } from '../../test/harness/per-file.ts'
import type { Json, JsonRecord } from '../server/json.ts'
import { startSimulator } from './start-simulator.ts'

const simulator = perFile(startSimulator)

/** Sends a request to which the fields are added, and returns the message of the error. */
async function refusalOf(path: string, headers: Record<string, string>, body: JsonRecord): Promise<string> {
  const response = await fetch(simulator.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sim-key', ...headers },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(400)
  const { message, param, code } = JSON.parse(await response.text()).error
  return `${param} ${code} ${message}`
}

type Case = [error: string, fields: JsonRecord]
const message = (role: string, content: Json, more: JsonRecord = {}): JsonRecord => ({
  role,
  content,
  ...more,
})
const talk = (...messages: Json[]): JsonRecord => ({ messages })
const object: Json = { type: 'object' }
const user = message('user', 'Hello')

const openaiCalls = [{ id: 'x', type: 'function', function: { name: 'a', arguments: '{}' } }]
const openaiResult = message('tool', 'b', { tool_call_id: 'x' })
const openaiTool = (details: JsonRecord) => ({ tools: [{ type: 'function', function: details }] })
const reasoning = { model: 'reasoning-sim' }

test.each<Case>([
  ['messages missing_required_parameter', { messages: null }],
  ['messages[0].role invalid_value', talk(message('robot', 'a'))],
  ['messages[0].x unknown_parameter', talk(message('user', 'a', { x: 1 }))],
  [
    'messages[0].content[0].image_url',
    talk(message('user', [{ type: 'image_url', image_url: 'https://a.b' }])),
  ],
  ['messages invalid_value', talk(message('assistant', null))],
  ['messages.[0].role', talk(openaiResult)],
  ['messages.[1].role', talk(user, message('assistant', null, { tool_calls: openaiCalls }))],
  ['top_k unknown_parameter', { top_k: 5 }],
  ['temperature invalid_value', { temperature: 2.1 }],
  ['stop invalid_value', { stop: ['a', 'b', 'c', 'd', 'e'] }],
  ['max_tokens invalid_value', { max_tokens: 5, max_completion_tokens: 5 }],
  ['stream_options invalid_value', { stream_options: { include_usage: true } }],
  ['tool_choice invalid_value', { tool_choice: 'auto' }],
  ['tools[0].function.name', openaiTool({ name: 'a'.repeat(65) })],
  [
    'tools[0].function.parameters invalid_function_parameters',
    openaiTool({ name: 'a', strict: true, parameters: { ...object, properties: {} } }),
  ],
  ["must contain the word 'json'", { response_format: { type: 'json_object' } }],
  ['reasoning_effort unsupported_parameter', { reasoning_effort: 'low' }],
  ['temperature unsupported_parameter', { ...reasoning, temperature: 0.5 }],
  ['max_tokens unsupported_parameter', { ...reasoning, max_tokens: 5 }],
])('OpenAI refuses %s', async (expected, fields) => {
  const body = { model: 'gpt-sim', messages: [user], ...fields }
  expect(await refusalOf('/openai/v1/chat/completions', {}, body)).toContain(expected)
})

const call = message('assistant', [{ type: 'tool_use', id: 'a', name: 'now', input: {} }])
const result: Json = { type: 'tool_result', tool_use_id: 'a', content: 'noon' }
const text = (content: string, more: JsonRecord = {}): Json => ({ type: 'text', text: content, ...more })
const tool: JsonRecord = { name: 'now', input_schema: object }
const turns = (...messages: Json[]): JsonRecord => ({ messages, tools: [tool] })
const format = (schema: Json) => ({ output_config: { format: { type: 'json_schema', schema } } })
const marked = text('a', { cache_control: { type: 'ephemeral' } })

test.each<Case>([
  ['seed: Extra inputs', { seed: 5 }],
  ['messages.0.content.0.text', talk(message('user', ' '))],
  ['non-empty content', talk(message('user', ''))],
  ['messages.1.content.0.type', turns(user, message('assistant', [result]), user)],
  ['unexpected `tool_use_id`', turns(message('user', [result]))],
  ['without `tool_result` blocks', turns(user, call, user)],
  ['must come before', turns(user, call, message('user', [text('So'), result]))],
  ['single result', turns(user, call, message('user', [result, result]))],
  ['must define tools', talk(user, call, message('user', [result]))],
  ['message prefill', talk(user, message('assistant', 'Once'))],
  ["must follow a 'user'", talk(message('system', 'Be brief'), user)],
  ['A maximum of 4', talk(message('user', [marked, marked, marked, marked, marked]))],
  ['additionalProperties', { tools: [{ ...tool, strict: true }] }],
  ['must be unique', { tools: [tool, tool] }],
  ['Tool not found', { tools: [tool], tool_choice: { type: 'tool', name: 'then' } }],
  ['sampling', { temperature: 1 }],
  ['minimum is not supported', format({ type: 'integer', minimum: 1 })],
  ['Circular', format({ ...object, properties: { a: { $ref: '#' } }, additionalProperties: false })],
  ['thinking.type', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
])('Anthropic refuses %s', async (expected, fields) => {
  const body = { model: 'lyric-5', max_tokens: 10, messages: [user], ...fields }
  const headers = { 'anthropic-version': '2026-10-21' }
  expect(await refusalOf('/anthropic/v1/messages', headers, body)).toContain(expected)
})

const from = (role: string, ...parts: Json[]): Json => ({ role, parts })
const say = (...contents: Json[]): JsonRecord => ({ contents })
const hello = from('user', { text: 'Hello' })
const signed: JsonRecord = {
  functionCall: { name: 'f', args: {} },
  thoughtSignature: 'skip_thought_signature_validator',
}
const answer = (name: string): Json => ({ functionResponse: { name, response: { result: 'x' } } })
const answering = (called: Json, ...answers: Json[]) =>
  say(hello, from('model', called), from('user', ...answers))
const config = (generationConfig: JsonRecord) => ({ generationConfig })
const declared = (...names: string[]) => ({
  tools: [{ functionDeclarations: names.map(name => ({ name })) }],
})

test.each<Case>([
  ['store', { store: true }],
  ['one initialized field', say(from('user', { text: 'a', ...signed }))],
  ['Invalid Unicode', say(from('user', { text: '\ud83d' }))],
  ['start and end with a user', say(hello, from('model', { text: 'a' }))],
  ['Unsupported MIME type', say(from('user', { inlineData: { mimeType: 'image/gif', data: 'aGk=' } }))],
  ['match the function calls', answering(signed, answer('g'))],
  ['match the function calls', answering({ text: 'a' }, answer('f'))],
  ['function responses alone', answering(signed, answer('f'), { text: 'a' })],
  ['missing a thought_signature', answering({ ...signed, thoughtSignature: null }, answer('f'))],
  ['Corrupted thought signature', answering({ ...signed, thoughtSignature: 'c2ln' }, answer('f'))],
  ['Invalid function name', declared('2f')],
  ['Duplicate function declaration', declared('f', 'f')],
  ['declared functions', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }],
  ['application/json', config({ responseJsonSchema: {} })],
  ['Only one of', config({ thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 1 } })],
])('Gemini refuses %s', async (expected, fields) => {
  const path = '/gemini/v1beta/models/prism-3-pro:generateContent'
  const headers = { 'x-goog-api-key': 'sim-key' }
  expect(await refusalOf(path, headers, { contents: [hello], ...fields })).toContain(expected)
})
