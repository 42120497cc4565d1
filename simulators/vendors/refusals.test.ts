import { describe, expect, test } from 'vitest'
import { perFile } from '../../test/harness/per-file.ts'
import type { Json, JsonRecord } from '../server/json.ts'
import { startSimulator } from './start-simulator.ts'

const simulator = perFile(startSimulator)

async function errorOf(path: string, body: JsonRecord, headers: Record<string, string> = {}) {
  const response = await fetch(simulator.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sim-key', ...headers },
    body: JSON.stringify(body),
  })
  const { error } = JSON.parse(await response.text())
  return { status: response.status, ...error }
}

type Case = [error: string, fields: JsonRecord]
const message = (role: string, content: Json, more: JsonRecord = {}): JsonRecord => ({
  role,
  content,
  ...more,
})
const talk = (...messages: Json[]): JsonRecord => ({ messages })
const object: Json = { type: 'object' }

describe("OpenAI's errors", () => {
  const part = (type: string, value: Json): Json => [{ type, [type]: value }]
  const user = message('user', 'Hello')
  const calls = message('assistant', null, {
    tool_calls: [{ id: 'x', type: 'function', function: { name: 'a', arguments: '{}' } }],
  })
  const result = message('tool', 'b', { tool_call_id: 'x' })
  const tool = (details: JsonRecord): JsonRecord => ({ tools: [{ type: 'function', function: details }] })
  const reasoning = { model: 'reasoning-sim' }

  test.each<Case>([
    ['messages missing_required_parameter', { messages: null }],
    ['messages empty_array', { messages: [] }],
    ['messages invalid_type', { messages: 'Hello' }],
    ['messages[0].role invalid_value', talk(message('robot', 'a'))],
    ['messages[0].role missing_required_parameter', talk({ content: 'a' })],
    ['messages[0].x unknown_parameter', talk(message('user', 'a', { x: 1 }))],
    ['messages.[0].content null', talk(message('user', null))],
    ['messages[0].content[0].type invalid_value', talk(message('user', part('video', {})))],
    [
      'messages[0].content[0].image_url invalid_type',
      talk(message('user', part('image_url', 'https://a.b'))),
    ],
    ['messages.[0].role null', talk(result)],
    ['messages.[1].role null', talk(user, calls)],
    ['top_k unknown_parameter', { top_k: 5 }],
    ['temperature invalid_type', { temperature: '1' }],
    ['temperature decimal_above_max_value', { temperature: 2.1 }],
    ['n integer_below_min_value', { n: 0 }],
    ['stop array_above_max_length', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['max_tokens invalid_parameter_combination', { max_tokens: 5, max_completion_tokens: 5 }],
    ['stream_options null', { stream_options: { include_usage: true } }],
    ['tool_choice null', { tool_choice: 'auto' }],
    ['tools[0].function.name missing_required_parameter', tool({})],
    ['tools[0].function.name string_above_max_length', tool({ name: 'a'.repeat(65) })],
    [
      'tools[0].function.parameters invalid_function_parameters',
      tool({ name: 'a', strict: true, parameters: { ...object, properties: {} } }),
    ],
    ['messages null', { response_format: { type: 'json_object' } }],
    ['reasoning_effort unsupported_parameter', { reasoning_effort: 'low' }],
    ['temperature unsupported_value', { ...reasoning, temperature: 0.5 }],
    ['max_tokens unsupported_parameter', { ...reasoning, max_tokens: 5 }],
  ])('%s', async (expected, fields) => {
    const body = { model: 'gpt-sim', messages: [user], ...fields }
    const { status, type, param, code } = await errorOf('/openai/v1/chat/completions', body)
    expect([status, type, `${param} ${code}`]).toEqual([400, 'invalid_request_error', expected])
  })
})

describe("Anthropic's errors", () => {
  const user = message('user', 'Hello')
  const call = message('assistant', [{ type: 'tool_use', id: 'a', name: 'now', input: {} }])
  const result: Json = { type: 'tool_result', tool_use_id: 'a', content: 'noon' }
  const text = (content: string, more: JsonRecord = {}): JsonRecord => ({
    type: 'text',
    text: content,
    ...more,
  })
  const image = (source: JsonRecord) => talk(message('user', [{ type: 'image', source }]))
  const tool: JsonRecord = { name: 'now', input_schema: object }
  const turns = (...messages: Json[]): JsonRecord => ({ messages, tools: [tool] })
  const format = (schema: Json) => ({ output_config: { format: { type: 'json_schema', schema } } })
  const marked = text('a', { cache_control: { type: 'ephemeral' } })

  test.each<Case>([
    ['messages: at least one message is required', { messages: [] }],
    ['messages: Input should be a valid list', { messages: 'Hello' }],
    ['max_tokens: Input should be a valid integer', { max_tokens: 1.5 }],
    ['max_tokens: Input should be greater than or equal to 0', { max_tokens: -1 }],
    ['seed: Extra inputs are not permitted', { seed: 5 }],
    ['messages.0.role: Input should be', talk(message('tool', 'a'))],
    ['messages: text content blocks must be non-empty', talk(message('user', [text('')]))],
    ['all messages must have non-empty content', talk(message('user', ''))],
    ['messages.0.content.0.type: Input should be', talk(message('user', [{ type: 'video' }]))],
    ['invalid base64', image({ type: 'base64', media_type: 'image/png', data: 'a*' })],
    ['Only HTTPS URLs', image({ type: 'url', url: 'http://a.b/c.png' })],
    ['`tool_result` blocks are not permitted here', turns(user, message('assistant', [result]), user)],
    ['unexpected `tool_use_id`', turns(message('user', [result]))],
    ['without `tool_result` blocks immediately after: a', turns(user, call, user)],
    ['must come before all other content', turns(user, call, message('user', [text('So'), result]))],
    ['single result', turns(user, call, message('user', [result, result]))],
    ['must define tools', talk(user, call, message('user', [result]))],
    ['does not support assistant message prefill', talk(user, message('assistant', 'Once'))],
    ["must follow a 'user' message", talk(message('system', 'Be brief'), user)],
    ['Found 5', talk(message('user', [marked, marked, marked, marked, marked]))],
    ['tools.0.custom.input_schema: Field required', { tools: [{ name: 'now' }] }],
    ['tools.0.custom.name: String should match', { tools: [{ ...tool, name: 'a.b' }] }],
    ['additionalProperties', { tools: [{ ...tool, strict: true }] }],
    ['tools: Tool names must be unique.', { tools: [tool, tool] }],
    ["Tool 'then' not found", { tools: [tool], tool_choice: { type: 'tool', name: 'then' } }],
    ['temperature: sampling', { temperature: 1 }],
    ['minimum are not supported', format({ type: 'integer', minimum: 1 })],
    [
      'Circular reference',
      format({ ...object, properties: { a: { $ref: '#' } }, additionalProperties: false }),
    ],
    ['thinking.type', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
  ])('%s', async (expected, fields) => {
    const body = { model: 'lyric-5', max_tokens: 10, messages: [user], ...fields }
    const headers = { 'anthropic-version': '2026-10-21' }
    const error = await errorOf('/anthropic/v1/messages', body, headers)
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect(error.message).toContain(expected)
  })
})

describe("Gemini's errors", () => {
  const user = (...parts: Json[]): JsonRecord => ({ role: 'user', parts })
  const model = (...parts: Json[]): JsonRecord => ({ role: 'model', parts })
  const say = (...contents: Json[]): JsonRecord => ({ contents })
  const text: Json = { text: 'Hello' }
  const call: JsonRecord = { functionCall: { name: 'f', args: {} }, thoughtSignature: 'c2ln' }
  const signed: JsonRecord = { ...call, thoughtSignature: 'skip_thought_signature_validator' }
  const response = (name: string): JsonRecord => ({ functionResponse: { name, response: { result: 'x' } } })
  const answering = (called: Json, ...answers: Json[]) => say(user(text), model(called), user(...answers))
  const config = (generationConfig: JsonRecord) => ({ generationConfig })
  const declared = (...names: string[]) => ({
    tools: [{ functionDeclarations: names.map(name => ({ name })) }],
  })

  test.each<Case>([
    ['contents is not specified', { contents: [] }],
    ['Unknown name "store"', { store: true }],
    ['Please use a valid role: user, model.', say({ role: 'tool', parts: [text] })],
    ['parts must not be empty', say({ role: 'user' })],
    ["required oneof field 'data'", say(user({}))],
    ["oneof field 'data' is already set", say(user({ text: 'a', inlineData: {} }))],
    ['(TYPE_STRING), 5', say(user({ text: 5 }))],
    ['Invalid Unicode', say(user({ text: '\ud83d' }))],
    ['alternate between user and model', say(model(text), user(text))],
    ['ends with a user role', say(user(text), model(text))],
    ['Unsupported MIME type: image/gif', say(user({ inlineData: { mimeType: 'image/gif', data: 'aGk=' } }))],
    ['number of function response parts', answering(signed, text)],
    ['function call f has its function response', answering(signed, response('g'))],
    ['immediately after a function call turn', answering(text, response('f'))],
    ['function responses alone', answering(signed, response('f'), text)],
    ['missing a thought_signature', answering({ ...call, thoughtSignature: null }, response('f'))],
    ['Corrupted thought signature', answering(call, response('f'))],
    ['Invalid function name', declared('2f')],
    ['Duplicate function declaration found: f', declared('f', 'f')],
    ['without function_declarations', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }],
    ['range [0, 2]', config({ temperature: 2.1 })],
    ['TYPE_INT32', config({ seed: 2 ** 40 })],
    ['requires response_logprobs', config({ logprobs: 3 })],
    ['must be application/json', config({ responseJsonSchema: {} })],
    ['only set one of', config({ thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 1 } })],
  ])('%s', async (expected, fields) => {
    const path = '/gemini/v1beta/models/prism-3-pro:generateContent'
    const body = { contents: [user(text)], ...fields }
    const error = await errorOf(path, body, { 'x-goog-api-key': 'sim-key' })
    expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', code: 400 })
    expect(error.message).toContain(expected)
  })
})
