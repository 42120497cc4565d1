import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { aClient } from '../harness/a-client.ts'
import { logsOf } from '../harness/invariants.ts'
import { chatModels, longInstructions } from './chat-models.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

let anthropic: Anthropic
beforeEach(() => {
  anthropic = theSdk(client.text)
})

function theSdk(apiKey: string, options: { maxRetries?: number } = {}) {
  return new Anthropic({ apiKey, baseURL: system.edge.url, maxRetries: 0, ...options })
}

const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
}

const ways = chatModels.flatMap(model => [[model, 'whole'] as const, [model, 'streamed'] as const])

function ask(request: Anthropic.MessageCreateParamsNonStreaming, how: 'whole' | 'streamed') {
  return how === 'whole'
    ? anthropic.messages.create(request)
    : anthropic.messages.stream(request).finalMessage()
}

test.each(ways)('%s answers with a message, %s', async (model, how) => {
  const request = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'say 20 words' }] }
  const answer = await ask(request, how)
  expect(answer).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: expect.stringMatching(/\w+ \w+/) }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { cache_read_input_tokens: 0 },
  })
  const [log] = await logsOf(system, client).then(logs => logs.slice(-1))
  expect(log).toMatchObject({ route: 'messages', status: 200, streamed: how === 'streamed' })
  expect(log?.id).toBe(answer.id.replace('msg_', 'req_'))
  expect(answer.usage).toMatchObject({
    input_tokens: Number(log?.prompt_tokens) - Number(log?.cache_creation_tokens),
    output_tokens: Number(log?.completion_tokens),
  })
})

test.each(ways)(
  'an agent on %s calls tools in parallel and answers with their results, %s',
  async (model, how) => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Weather? Ask in parallel.' }]
    const request = { model, max_tokens: 1_000, tools: [weather], messages }
    const first = await ask(request, how)
    const calls = first.content.filter(block => block.type === 'tool_use')
    const expected = { name: 'weather', input: { city: expect.stringMatching(/./) } }
    expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([expected, expected])
    expect(first.stop_reason).toBe('tool_use')
    const results = calls.map(({ id }, index) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: [{ type: 'text' as const, text: `sky ${index}` }],
    }))
    messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: results.reverse() })
    const second = await ask(request, how)
    expect(second.stop_reason).toBe('end_turn')
    expect(JSON.stringify(second.content)).toMatch(/sky 0.* and .*sky 1|sky 1.* and .*sky 0/)
  },
)

test.each(chatModels)(
  '%s: whole and streamed are counted alike, and what was read from the cache is told',
  async model => {
    const request = {
      model,
      max_tokens: 50,
      system: [
        { type: 'text' as const, text: longInstructions, cache_control: { type: 'ephemeral' as const } },
      ],
      messages: [{ role: 'user' as const, content: 'Hello' }],
    }
    await ask(request, 'whole')
    const [whole, streamed] = [await ask(request, 'whole'), await ask(request, 'streamed')]
    expect(whole.usage.cache_read_input_tokens).toBeGreaterThan(1_000)
    // The SDK drops the fields of a stream's usage that it does not know.
    expect({ ...streamed.usage, cost: expect.any(Number) }).toEqual(whole.usage)
    expect(whole.usage.input_tokens).toBeLessThan(1_000)
  },
)

test.each(chatModels)('%s sees the image that a tool gave out', async model => {
  const data =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  const image: Anthropic.ImageBlockParam = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  }
  const messages: Anthropic.MessageParam[] = [
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: [image] }],
    },
  ]
  await anthropic.messages.create({ model, max_tokens: 50, tools: [weather], messages })
  expect(JSON.stringify(system.simulator.calls.at(-1)?.body).split(data)).toHaveLength(3)
})

test.each([false, true])('a tool runner sends whole conversations (stream: %s)', async stream => {
  const tool = betaZodTool({
    name: 'weather',
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    run: ({ city }) => `sunny in ${city}`,
  })
  const message = await anthropic.beta.messages
    .toolRunner({
      model: 'vendor_b/lyric',
      max_tokens: 1_000,
      tools: [tool],
      messages: [{ role: 'user', content: 'How is the weather? Ask in parallel.' }],
      stream,
    })
    .runUntilDone()
  expect(JSON.stringify(message.content)).toMatch(/sunny in .* and .*sunny in /)
  const [, last] = system.simulator.calls
  expect(last?.body).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }] })
})

test('a thread that must be stored is a 400 under the name by which the SDK recognises it', async () => {
  const thread = anthropic.beta.messages.thread({ model: 'vendor_b/lyric', max_tokens: 50 })
  const error = await thread.send({ role: 'user', content: 'Hi' }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, errorCode: 'thread_unsupported_request' })
  expect(system.simulator.calls).toEqual([])
})

test('a stream that breaks is thrown, with its type and request', async () => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const stream = anthropic.messages.stream({
    model: 'vendor_a/atlas',
    max_tokens: 500,
    messages: [{ role: 'user', content: 'say 60 words [[fault: error-frame;n=4]]' }],
  })
  const error = await stream.finalMessage().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Anthropic.APIError)
  expect(error).toMatchObject({ error: { type: 'error', error: { type: 'api_error' } } })
})

describe('each failure is the class of the SDK that clients wait for', () => {
  const asking = (content: string, model = 'vendor_a/atlas') => ({
    model,
    max_tokens: 50,
    messages: [{ role: 'user' as const, content }],
  })
  const failures: [string, string, object, number, string][] = [
    ['a bad request', 'Hi', { system: 7 }, 400, 'invalid_request_error'],
    ['an unknown model', 'Hi', { model: 'claude-none' }, 404, 'not_found_error'],
    ['a vendor that is busy', 'Hi [[fault: 429]]', {}, 529, 'overloaded_error'],
    ['a vendor that failed', 'Hi [[fault: 500]]', {}, 502, 'api_error'],
    ['a prompt that is too long', 'Hi [[fault: too-long]]', {}, 400, 'invalid_request_error'],
  ]
  test.each(failures)('%s', async (_, content, fields, status, type) => {
    const error = await anthropic.messages
      .create({ ...asking(content), ...fields })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error).toMatchObject({ status, type, requestID: expect.stringMatching(/^req_/) })
    if (content.includes('too-long'))
      expect(String(error)).toMatch(/prompt is too long: \d+ tokens > \d+ maximum/)
  })

  test('a wrong key, a disabled one, one without money, one that asks too often', async () => {
    const failing = async (key: string, status: number, type: string) =>
      expect(theSdk(key, { maxRetries: 1 }).messages.create(asking('Hi'))).rejects.toMatchObject({
        status,
        type,
      })
    await failing('sk-rb-none', 401, 'authentication_error')
    await failing((await aClient(system, { disabled: true })).text, 403, 'permission_error')
    await failing((await aClient(system, { creditNanos: 10n })).text, 402, 'billing_error')
    const hasty = await aClient(system, { rpm: 1 })
    await theSdk(hasty.text).messages.create(asking('Hi'))
    await expect(theSdk(hasty.text).messages.create(asking('Hi'))).rejects.toBeInstanceOf(
      Anthropic.RateLimitError,
    )
  })
})
