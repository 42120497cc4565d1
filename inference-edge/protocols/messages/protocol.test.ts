import { describe, expect, test } from 'vitest'
import { type ErrorName, Problem } from '../../../schema/errors.ts'
import type { ChatChunk, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import { presentMessagesProblem } from './client.ts'
import { messages } from './protocol.ts'

const model = 'vendor_b/lyric'
const identity = { requestId: 'req_0123', startedAt: 0 }
const usage = {
  costNanos: 12_345n,
  promptTokens: 9,
  cachedTokens: 4,
  cacheCreationTokens: 2,
  completionTokens: 7,
  reasoningTokens: 3,
}

describe('a request', () => {
  const read = (fields: object) => messages.read({ model, max_tokens: 10, messages: [hi], ...fields })
  const hi = { role: 'user', content: 'Hi' }

  test('as an agent sends it: results first, thinking apart, system in the middle, cache_control kept', () => {
    const cached = { cache_control: { type: 'ephemeral' } }
    const { request } = read({
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=1' },
        { type: 'text', text: 'Rules', ...cached },
      ],
      messages: [
        hi,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: '' },
            { type: 'redacted_thinking', data: 'xx' },
            { type: 'text', text: '' },
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
            { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: 'gone', ...cached },
          ],
        },
        { role: 'system', content: 'Be brief' },
      ],
      context_management: { edits: [] },
      betas: ['x'],
      metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
    })
    expect(request.messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Rules', ...cached }] },
      hi,
      {
        role: 'assistant',
        content: null,
        thinking_blocks: [
          { type: 'thinking', thinking: 'hm', signature: '' },
          { type: 'redacted_thinking', data: 'xx' },
        ],
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'gone', is_error: true, ...cached },
      { role: 'user', content: 'Look' },
      { role: 'system', content: 'Be brief' },
    ])
    expect(request).toMatchObject({ max_completion_tokens: 10, user: '{"device_id":"d"}' })
    expect(request).not.toHaveProperty('context_management')
  })

  test('documents become files and text, images data URIs or addresses', () => {
    const content = [
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
      },
      { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ]
    expect(read({ messages: [{ role: 'user', content }] }).request.messages[0]?.content).toEqual([
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
      { type: 'text', text: 'Notes\n\nwords' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ])
  })

  const tool = { name: 'look', input_schema: { type: 'object' } }
  test.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'look' },
      { type: 'function', function: { name: 'look' } },
    ],
  ])('tool_choice %j', (tool_choice, expected) => {
    const { request } = read({
      tools: [tool],
      tool_choice: { ...tool_choice, disable_parallel_tool_use: true },
    })
    expect(request).toMatchObject({ tool_choice: expected, parallel_tool_calls: false })
  })

  test('tools that run at Anthropic are dropped, those that a client can run become functions', () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      tool,
      { type: 'bash_20250124', name: 'bash' },
    ]
    const { request, renameParam } = read({ tools })
    expect(request.tools?.map(offered => offered.function?.name)).toEqual(['look', 'bash'])
    const problem = new Problem('invalid_request', { param: 'tools[0].function.parameters' })
    expect(renameParam(problem).details.param).toBe('tools[1].input_schema')
  })

  const search = { type: 'web_search_20250305', name: 'web_search' }
  const says = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
  const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] }
  const answered = (...content: object[]) => ({
    messages: [called, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }],
  })
  const blocks = Array(20_001).fill({ type: 'text', text: 'a' })
  const compacted = { role: 'assistant', content: [{ type: 'compaction', content: 'So far' }] }
  const forced = (tool_choice: object, ...tools: object[]) => ({ tools, tool_choice })
  const refused: [string, object, string][] = [
    ['a forced tool of Anthropic', forced({ type: 'tool', name: 'web_search' }, search), 'tool_choice'],
    ['any tool, where all are such', forced({ type: 'any' }, search), 'tool_choice'],
    ['a choice of an unknown tool', forced({ type: 'tool', name: 'x' }, tool), 'tool_choice.name'],
    ['a tool without a schema', { tools: [{ name: 'look' }] }, 'tools[0].input_schema'],
    ['an unknown block', says({ type: 'film' }), 'messages[0].content[0].type'],
    [
      'a stored file',
      says({ type: 'image', source: { type: 'file', file_id: 'f' } }),
      'messages[0].content[0].source.type',
    ],
    ['a block for earlier turns', { messages: [hi, compacted, hi] }, 'messages[1].content[0]'],
    ['nothing to answer', { messages: [{ role: 'user', content: '' }] }, 'messages'],
    ['an unknown format', { output_config: { format: { type: 'yaml' } } }, 'output_config.format.type'],
    ['too many blocks within results', answered(...blocks), 'messages'],
    ['too many blocks', says(...blocks), 'messages'],
  ]
  test.each(refused)('%s is refused, naming the parameter', (_, fields, param) => {
    expect(() => read(fields)).toThrow(
      expect.objectContaining({ status: 400, details: expect.objectContaining({ param }) }),
    )
  })

  test('a problem with a part names the parameter that the client wrote', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/x', data: 'AA' } }
    const { renameParam } = read({ system: 'Rules', ...answered({ type: 'text', text: 'x' }, image) })
    const renamed = (param: string) => renameParam(new Problem('invalid_request', { param })).details.param
    expect(renamed('messages[2].content[1].image_url.url')).toBe('messages[1].content[0].content[1].source')
    expect(renamed('messages[2].tool_call_id')).toBe('messages[1].content[0].tool_use_id')
    expect(renamed('messages[1].tool_calls[0].function.name')).toBe('messages[0].content[0].name')
    expect(renamed('max_completion_tokens')).toBe('max_tokens')
  })
})

describe('a stream', () => {
  test('has one block after the other, numbered from 0', () => {
    const { events, names } = streamOf(
      [
        { role: 'assistant', content: '' },
        { thinking_blocks: [{ type: 'thinking', thinking: 'Let me ', signature: '' }] },
        { thinking_blocks: [{ type: 'thinking', thinking: 'see', signature: '' }] },
        { thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'sig' }] },
        { content: 'I ' },
        { content: 'look.' },
        { tool_calls: [{ index: 0, id: 'call_a', function: { name: 'look', arguments: '' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
        { tool_calls: [{ index: 1, id: 'call_b', function: { name: 'see', arguments: '{' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
        { content: 'And so.' },
        { tool_calls: [{ index: 1, function: { arguments: '}' } }] },
      ],
      'tool_calls',
    )
    expect(names).toEqual(events.map(event => event.type))
    expect(blocksOf(events)).toEqual([
      { type: 'thinking', thinking: 'Let me see', signature: 'sig' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'call_a', name: 'look', input: '{"a":1}', caller: { type: 'direct' } },
      { type: 'tool_use', id: 'call_b', name: 'see', input: '{}', caller: { type: 'direct' } },
      { type: 'text', text: 'And so.' },
    ])
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })

  test('has the input tokens in its first event, the output tokens only in its last', () => {
    const { events } = streamOf([{ content: 'Hi' }], 'stop')
    const input = { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 }
    expect(events[0]).toMatchObject({
      message: { id: 'msg_0123', model, usage: { ...input, output_tokens: 0 } },
    })
    expect(events.at(-2)).toMatchObject({ usage: { ...input, output_tokens: 7 } })
    expect(events.at(-1)).toEqual({ type: 'message_stop' })
  })

  const look = { index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }
  const endings: [FinishReason, ChunkDelta, string][] = [
    ['stop', { content: 'Hi' }, 'end_turn'],
    ['stop', { tool_calls: [look] }, 'tool_use'],
    ['length', { content: 'Hi' }, 'max_tokens'],
    ['content_filter', { content: 'Hi' }, 'refusal'],
    ['stop', { refusal: 'I will not.' }, 'refusal'],
    ['stop', {}, 'end_turn'],
  ]
  test.each(endings)(
    '%s, after %j, has the same stop_reason as a whole answer',
    (finish, delta, stop_reason) => {
      const { events } = streamOf([delta], finish)
      expect(events.at(-2)).toMatchObject({ delta: { stop_reason } })
      const message = { role: 'assistant' as const, content: null, refusal: null, ...delta }
      const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }]
      const completion = { ...base, object: 'chat.completion' as const, choices: choices as never }
      expect(open().conversation.presentWhole(completion, usage, identity)).toMatchObject({ stop_reason })
    },
  )

  test('the stop sequence is named where the vendor reports it', () => {
    const { presenter } = open()
    const choice = { index: 0, delta: {}, finish_reason: 'stop' as const, stop_sequence: 'END' }
    presenter.chunk({ ...base, object: 'chat.completion.chunk', choices: [choice] })
    expect(presenter.end(usage)).toContain('"stop_reason":"stop_sequence","stop_sequence":"END"')
  })

  test('thinking without a signature is shown to clients that asked for it', () => {
    const deltas: ChunkDelta[] = [{ reasoning_content: 'hm' }, { content: 'Hi' }]
    expect(blocksOf(streamOf(deltas, 'stop').events)).toEqual([{ type: 'text', text: 'Hi' }])
    const { events } = streamOf(deltas, 'stop', { thinking: { type: 'adaptive' } })
    expect(blocksOf(events)).toEqual([
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'Hi' },
    ])
  })

  test('one that breaks ends in an error event; keepAlive is a ping until then', () => {
    const { presenter } = open()
    expect(presenter.keepAlive()).toBe('event: ping\ndata: {"type":"ping"}\n\n')
    const text = presenter.fail(new Problem('upstream_busy'))
    expect(text).toMatch(/^event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error"/)
    expect(text).toContain('"request_id":"req_0123"')
    expect(presenter.keepAlive()).toBe('')
  })
})

describe('an error', () => {
  const errors: [ErrorName, number, string, boolean | undefined][] = [
    ['invalid_request', 400, 'invalid_request_error', undefined],
    ['no_access', 401, 'authentication_error', false],
    ['insufficient_credits', 402, 'billing_error', false],
    ['credit_limit_reached', 402, 'billing_error', false],
    ['key_disabled', 403, 'permission_error', undefined],
    ['model_not_found', 404, 'not_found_error', undefined],
    ['idempotency_conflict', 409, 'conflict_error', undefined],
    ['body_too_large', 413, 'request_too_large', undefined],
    ['rate_limit_exceeded', 429, 'rate_limit_error', undefined],
    ['internal', 500, 'api_error', undefined],
    ['upstream_error', 502, 'api_error', undefined],
    ['unavailable', 503, 'api_error', undefined],
    ['upstream_timeout', 504, 'timeout_error', undefined],
    ['upstream_busy', 529, 'overloaded_error', undefined],
    ['overloaded', 529, 'overloaded_error', undefined],
  ]
  test.each(errors)('%s is %i %s', (name, status, type, shouldRetry) => {
    const problem = new Problem(name)
    expect(presentMessagesProblem(problem, 'req_1')).toEqual({
      status,
      body: {
        type: 'error',
        error: { type, message: problem.message, code: name, param: null },
        request_id: 'req_1',
        code: status,
        msg: problem.message,
      },
      shouldRetry,
    })
  })

  test.each([
    [
      "This model's maximum context length is 128,000 tokens. However, your messages resulted in 130000 tokens.",
      'prompt is too long: 130000 tokens > 128000 maximum',
    ],
    [
      'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
      'prompt is too long: 2000000 tokens > 1048576 maximum',
    ],
    ['prompt is too long: 9 tokens > 8 maximum', 'prompt is too long: 9 tokens > 8 maximum'],
    ['Too much.', 'prompt is too long: Too much.'],
  ])('a prompt that is too long is reported as clients recognise it: %s', (message, expected) => {
    const { body } = presentMessagesProblem(new Problem('context_length_exceeded', { message }), 'r')
    expect(body.error.message).toBe(expected)
  })
})

const base = { id: 'chatcmpl-1', created: 1, model }

function open(fields: object = {}) {
  const conversation = messages.read({
    model,
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
    ...fields,
  })
  return { conversation, presenter: conversation.openPresenter(identity) }
}

function streamOf(deltas: ChunkDelta[], finish: FinishReason, fields: object = {}) {
  const { presenter } = open(fields)
  const chunkOf = (delta: ChunkDelta, finish_reason: FinishReason | null = null): ChatChunk => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const text =
    presenter.begin({ model, usage }) +
    [...deltas.map(delta => chunkOf(delta)), chunkOf({}, finish)].map(presenter.chunk).join('') +
    presenter.end(usage)
  const frames = text.trimEnd().split('\n\n')
  return {
    names: frames.map(frame => /^event: (.*)$/m.exec(frame)?.[1]),
    events: frames.map(frame => JSON.parse(/^data: (.*)$/m.exec(frame)![1]!)),
  }
}

/** Puts the blocks together as a client does; throws where they are not begun and stopped one by one. */
function blocksOf(events: ReturnType<typeof streamOf>['events']) {
  const blocks: Record<string, string>[] = []
  let current: Record<string, string> | undefined
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') {
      expect([current, index]).toEqual([undefined, blocks.length])
      current = content_block.type === 'tool_use' ? { ...content_block, input: '' } : content_block
      blocks.push(current!)
    }
    if (type === 'content_block_stop') {
      expect(index).toBe(blocks.length - 1)
      current = undefined
    }
    if (type !== 'content_block_delta') continue
    expect(index).toBe(blocks.length - 1)
    if (delta.type === 'text_delta') current!.text += delta.text
    if (delta.type === 'thinking_delta') current!.thinking += delta.thinking
    if (delta.type === 'signature_delta') current!.signature += delta.signature
    if (delta.type === 'input_json_delta') current!.input += delta.partial_json
  }
  expect(current).toBeUndefined()
  return blocks
}
