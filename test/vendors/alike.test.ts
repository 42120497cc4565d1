import { describe, expect, onTestFinished, test } from 'vitest'
import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { Target } from '../../upstreams/targets.ts'
import { problemOf, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import { calling } from '../harness/a-chat-call.ts'
import { aRefusal } from '../harness/a-refusal.ts'
import { aVendor, type TestVendor } from '../harness/a-vendor.ts'
import { theVendors } from './call-a-vendor.ts'
import { chatModels } from './vendors.ts'

const vendors = theVendors()

const hello = { role: 'user', content: 'Hello' }
const asking = (text = '{}') => ({
  role: 'assistant',
  content: null,
  tool_calls: [calling('call_1', 'get_weather', text)],
})
const result = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' }
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
const pdf = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' }
const cache_control = { type: 'ephemeral' }

const tree = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['name'],
}
const wide = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, { type: 'string' }])),
}
const formatOf = (schema: object) => ({ type: 'json_schema', json_schema: { name: 'answer', schema } })

/** A request, and its result with every vendor. */
const everything: [what: string, fields: object, outcome: unknown][] = [
  ['unknown fields', { novelty: 1, top_k: 5, min_p: 0.1 }, 'text'],
  ['fields that steer accounts', { user: 'ann', metadata: { a: 'b' }, store: false }, 'text'],
  ['a prompt of the system alone', { messages: [{ role: 'system', content: 'Write a haiku.' }] }, 'text'],
  ['no effort', { reasoning_effort: 'none' }, 'text'],
  [
    'what clients keep in their history',
    {
      messages: [
        hello,
        {
          role: 'assistant',
          content: 'Hi',
          ...{ id: 'msg_1', name: null, refusal: null, audio: null, function_call: null, parsed: null },
          ...{ annotations: [], reasoning_content: 'Hm.', reasoning: 'Hm.', provider_specific_fields: {} },
          thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: '' }],
        },
        { ...hello, timestamp: 5 },
      ],
    },
    'text',
  ],
  [
    'a call that was cut, with its output',
    { tools, messages: [hello, asking('{"city":"Be'), result] },
    'text',
  ],
  [
    'breakpoints of the cache',
    {
      tools: tools.map(tool => ({ ...tool, cache_control })),
      tool_choice: 'none',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control }] }],
    },
    'text',
  ],
  ['a document', { messages: [{ role: 'user', content: [{ type: 'file', file: pdf }] }] }, 'text'],
  [
    'a document in a result',
    {
      tools,
      tool_choice: 'none',
      messages: [hello, asking(), { ...result, content: [{ type: 'file', file: pdf }] }],
    },
    'text',
  ],
  ['a call that is demanded', { tools, tool_choice: 'required', parallel_tool_calls: false }, 'calls'],
  ['a schema that holds itself', { response_format: formatOf(tree) }, 'text'],
  ['a schema of many optional properties', { response_format: formatOf(wide) }, 'text'],
  ['the standard tier', { service_tier: 'auto' }, 'text'],
  ['a tool that is none', { tools: [{ type: 'function' }] }, ['missing_parameter', 'tools[0].function']],
  [
    'a text that is none',
    { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    ['missing_parameter', 'messages[0].content[0].text'],
  ],
]

function targetOf(model: string): Target {
  const vendor = model.split('/')[0] ?? ''
  const paths: Record<string, string> = { vendor_a: 'openai/v1', vendor_b: 'anthropic', vendor_c: 'gemini' }
  return { vendor, baseUrl: `${vendors.simulator.url}/${paths[vendor]}`, apiKey: 'sim-platform-key' }
}

async function outcomeOf(model: string, fields: object): Promise<unknown> {
  try {
    const request = parseChatRequest(JSON.parse(JSON.stringify({ model, messages: [hello], ...fields })))
    const { completion } = await vendors.call(targetOf(model), request)
    return completion?.choices[0]?.message.tool_calls ? 'calls' : 'text'
  } catch (error) {
    if (error instanceof UpstreamFailure) return [problemOf(error).errorName, error.message]
    if (error instanceof Problem) return [error.errorName, error.details.param]
    throw error
  }
}

describe.each(everything)('%s: the same is had from every vendor', (_what, fields, outcome) => {
  test.each(chatModels)('%s', async model => {
    expect(await outcomeOf(model, fields)).toEqual(outcome)
  })
})

test('a budget of thoughts leaves room for an answer, however small the maximum is', async () => {
  const model = 'vendor_c/prism-lite'
  const request = parseChatRequest({ model, messages: [hello], reasoning_effort: 'high', max_tokens: 60 })
  const { text } = await vendors.call(targetOf(model), { ...request, model })
  expect(text).not.toBe('')
})

test('thoughts whose signature the vendor refuses are left out, and the conversation goes on', async () => {
  const thinking_blocks = [{ type: 'thinking', thinking: 'Hm.', signature: 'foreign' }]
  const messages = [hello, { role: 'assistant', content: 'Hi', thinking_blocks }, hello]
  expect(await outcomeOf('vendor_b/lyric', { messages })).toBe('text')
  expect(vendors.simulator.calls.map(({ status }) => status)).toEqual([400, 200])
})

test('a field that the vendor does not know costs one more call, and takes none of those with it that it knows', async () => {
  const model = 'vendor_a/atlas'
  const { completion } = await vendors.call(targetOf(model), {
    ...parseChatRequest({ model, messages: [hello], novelty: 1, logprobs: true }),
    model,
  })
  expect(completion?.choices[0]?.logprobs?.content).toBeInstanceOf(Array)
  expect(vendors.simulator.calls).toHaveLength(2)
})

const inline = 'data:image/png;base64,aGk='

/** A question about these images. */
function compare(model: string, { urls, ...fields }: { urls: string[] } & Partial<ChatRequest>) {
  const images = urls.map(url => ({ type: 'image_url', image_url: { url } }))
  const content = [{ type: 'text', text: 'Compare these' }, ...images]
  return vendors.call(targetOf(model), { model, messages: [{ role: 'user', content }], ...fields })
}

test.each(['vendor_a/atlas', 'vendor_b/lyric'])('%s sees them, inline and by address', async model => {
  for (const stream of [false, true]) {
    const { text } = await compare(model, { urls: [inline, 'https://example.com/a.png'], stream })
    expect(text).toContain('and saw 2 attached')
  }
})

describe('a vendor that takes none by address', () => {
  const request = (fields: { urls: string[]; stream: boolean }) => compare('vendor_c/prism-pro', fields)
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

  /** Where images lie; `/gone.png` does not. */
  async function aGallery(): Promise<TestVendor> {
    const gallery = await aVendor((response, { path }) => {
      response.statusCode = path === '/gone.png' ? 404 : 200
      response.end(png)
    })
    onTestFinished(gallery.close)
    return gallery
  }

  test('is sent all inline, each fetched once', async () => {
    const gallery = await aGallery()
    const urls = [inline, `${gallery.url}/a.png`, `${gallery.url}/a.png`]
    for (const stream of [false, true]) {
      expect((await request({ urls, stream })).text).toContain('and saw 3 attached')
      expect(JSON.stringify(vendors.simulator.calls.at(-1)?.body)).toContain(png.toString('base64'))
    }
    expect(gallery.calls.map(({ path }) => path)).toEqual(['/a.png', '/a.png'])
  })

  test('is not called where one cannot be had, and that one is named', async () => {
    const { url } = await aGallery()
    for (const lost of [`${url}/gone.png`, 'http://8.8.8.8/a.png', 'https://10.0.0.1/a.png', 'file:///a.png'])
      for (const stream of [false, true])
        expect(await aRefusal(() => request({ urls: [inline, lost], stream }))).toEqual({
          problem: 'invalid_request',
          param: 'messages[0].content[2].image_url.url',
        })
    expect(vendors.simulator.calls).toEqual([])
  })
})
