import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, type ModelMessage, Output, stepCountIs, streamText, tool } from 'ai'
import { createAnthropic as anthropic5 } from 'ai-anthropic-v2'
import { createAnthropic as anthropic6 } from 'ai-anthropic-v3'
import { createOpenAI as openai5 } from 'ai-openai-v2'
import { createOpenAI as openai6 } from 'ai-openai-v3'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  type ClientProtocol,
  chatModels,
  longInstructions,
  protocols,
  protocolsOfModels,
} from './chat-models.ts'
import { collect } from './collect.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

const prompt = 'How is the weather? Ask in parallel.'
const tools = {
  weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  }),
}

function theModel(protocol: ClientProtocol, name = 'vendor_a/atlas') {
  const openai = createOpenAI({ apiKey: client.text, baseURL: system.baseURL })
  return { model: openai[protocol](name), maxRetries: 0 }
}

test.each(protocolsOfModels)(
  '%s: an agent on %s calls tools in parallel and answers with their results',
  async (protocol, name) => {
    const { steps, text, finishReason, totalUsage, warnings } = await generateText({
      ...theModel(protocol, name),
      ...{ tools, prompt, stopWhen: stepCountIs(5) },
    })
    const cities = steps[0]!.toolCalls.map(call => (call.dynamic ? '' : call.input.city))
    expect(cities).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
    expect(text).toMatch(new RegExp(`sunny in ${cities[0]}.* and .*sunny in ${cities[1]}`))
    expect({ steps: steps.length, finishReason, warnings }).toEqual({
      steps: 2,
      finishReason: 'stop',
      warnings: [],
    })
    expect(totalUsage.inputTokenDetails.cacheReadTokens).toBe(0)
  },
)

test.each(protocolsOfModels)('%s: the same on %s, streamed', async (protocol, name) => {
  const result = streamText({ ...theModel(protocol, name), ...{ tools, prompt, stopWhen: stepCountIs(5) } })
  const parts = await collect(result.fullStream)
  const inputs = parts.filter(part => part.type === 'tool-call').map(part => part.input)
  expect(inputs).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
  expect(parts.filter(part => part.type === 'error')).toEqual([])
  expect(parts.filter(part => part.type === 'text-delta').length).toBeGreaterThan(5)
  expect(await result.text).toContain('sunny in')
  expect(await result.finishReason).toBe('stop')
  expect((await result.totalUsage).totalTokens).toBeGreaterThan(0)
})

test.each(protocols)('%s: what was read from the cache is told, whole and streamed', async protocol => {
  const request = { ...theModel(protocol), instructions: longInstructions, prompt: 'Hello' }
  await generateText(request)
  const { totalUsage: whole } = await generateText(request)
  const streamed = await streamText(request).totalUsage
  for (const { inputTokenDetails } of [whole, streamed])
    expect(inputTokenDetails.cacheReadTokens).toBeGreaterThan(1_000)
})

test.each(protocols)('%s: a stream that breaks is heard as an error', async protocol => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const result = streamText({
    ...theModel(protocol),
    prompt: 'say 60 words [[fault: error-frame;n=4]]',
    onError: () => {},
  })
  const parts = await collect(result.fullStream)
  expect(parts.filter(part => part.type === 'error')).not.toEqual([])
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' })
})

test('a conversation goes on where nothing is to be stored; where it would be, the error says what to do', async () => {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Hello' }]
  const first = await generateText({ ...theModel('responses'), messages })
  messages.push(...first.response.messages, { role: 'user', content: 'And now?' })
  const stored = generateText({ ...theModel('responses'), messages })
  await expect(stored).rejects.toThrow(/store: false/)
  const openai = { store: false }
  const second = await generateText({ ...theModel('responses'), messages, providerOptions: { openai } })
  expect(second.text).toContain('And now?')
  expect(system.simulator.calls.at(-1)?.body).toMatchObject({
    messages: [{ content: 'Hello' }, { role: 'assistant', content: first.text }, { content: 'And now?' }],
  })
})

function anthropicModel(name = 'vendor_b/lyric') {
  const anthropic = createAnthropic({ apiKey: client.text, baseURL: system.baseURL })
  return { model: anthropic(name), maxRetries: 0, maxOutputTokens: 1_000 }
}

test.each(chatModels)(
  'messages: an agent on %s calls tools in parallel and answers with their results',
  async name => {
    const { steps, text, finishReason } = await generateText({
      ...anthropicModel(name),
      ...{ tools, prompt, stopWhen: stepCountIs(5) },
    })
    const cities = steps[0]!.toolCalls.map(call => (call.dynamic ? '' : call.input.city))
    expect(cities).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
    expect(text).toMatch(new RegExp(`sunny in ${cities[0]}.* and .*sunny in ${cities[1]}`))
    expect({ steps: steps.length, finishReason }).toEqual({ steps: 2, finishReason: 'stop' })
  },
)

test.each(chatModels)('messages: the same on %s, streamed', async name => {
  const result = streamText({ ...anthropicModel(name), ...{ tools, prompt, stopWhen: stepCountIs(5) } })
  const parts = await collect(result.fullStream)
  const inputs = parts.filter(part => part.type === 'tool-call').map(part => part.input)
  expect(inputs).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
  expect(parts.filter(part => part.type === 'error')).toEqual([])
  expect(parts.filter(part => part.type === 'text-delta').length).toBeGreaterThan(5)
  expect(await result.text).toContain('sunny in')
  expect(await result.finishReason).toBe('stop')
})

test.each(chatModels)(
  'messages, %s: whole and streamed are counted alike, what was cached too',
  async name => {
    const request = { ...anthropicModel(name), instructions: longInstructions, prompt: 'Hello' }
    await generateText(request)
    const { totalUsage: whole } = await generateText(request)
    expect(whole.inputTokenDetails.cacheReadTokens).toBeGreaterThan(1_000)
    expect(await streamText(request).totalUsage).toEqual(whole)
  },
)

test('messages: the limit of tokens is heard, and a stream that breaks', async () => {
  const request = { ...anthropicModel(), prompt: 'say 200 words', maxOutputTokens: 8 }
  expect((await generateText(request)).finishReason).toBe('length')
  expect(await streamText(request).finishReason).toBe('length')

  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const broken = streamText({
    ...anthropicModel(),
    prompt: 'say 60 words [[fault: error-frame;n=4]]',
    onError: () => {},
  })
  const parts = await collect(broken.fullStream)
  expect(parts.filter(part => part.type === 'error')).not.toEqual([])
})

test('messages: the words of an error are heard, and whether to try again', async () => {
  const failing = async (text: string, name?: string) =>
    generateText({ ...anthropicModel(name), prompt: text }).catch((thrown: unknown) => thrown)
  const unknown = await failing('Hi', 'vendor_b/none')
  expect(unknown).toBeInstanceOf(APICallError)
  expect(unknown).toMatchObject({
    statusCode: 404,
    isRetryable: false,
    message: expect.stringContaining('vendor_b/none'),
  })
  expect(await failing('Hi [[fault: 529]]')).toMatchObject({ statusCode: 529, isRetryable: true })
})

const weatherTool = {
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { city: string }) => `sunny in ${city}`,
}

const weatherRequest = {
  prompt: 'How is the weather? Ask in parallel.',
  tools: { weather: weatherTool },
  maxRetries: 0,
  maxOutputTokens: 1_000,
  providerOptions: { openai: { store: false } }, // version 5 refers to calls by their ids otherwise
  onError: () => {},
}

const everyProtocol = ['messages', 'responses', 'chat'] as const

type AnyProtocol = (typeof everyProtocol)[number]

/** An agent that asks for the weather. Resolves to its last answer. */
interface Agent {
  ask(protocol: AnyProtocol, name: string): Promise<string>
  /** The same over a stream. Throws an error that the stream reports. */
  stream(protocol: AnyProtocol, name: string): Promise<string>
}

/** The parts of the SDK that an agent uses. */
interface Sdk<Request> {
  generateText(request: Request): PromiseLike<{ text: string }>
  streamText(request: Request): {
    fullStream: AsyncIterable<{ type: string; error?: unknown }>
    text: PromiseLike<string>
  }
}

function anAgent<Request>(
  sdk: Sdk<Request>,
  requestOf: (protocol: AnyProtocol, name: string) => Request,
): Agent {
  return {
    ask: async (protocol, name) => (await sdk.generateText(requestOf(protocol, name))).text,
    async stream(protocol, name) {
      const result = sdk.streamText(requestOf(protocol, name))
      for (const part of await collect(result.fullStream)) if (part.type === 'error') throw part.error
      return result.text
    },
  }
}

const access = () => ({ apiKey: client.text, baseURL: system.baseURL })

const agents: [string, Agent][] = [
  [
    'AI SDK 5',
    anAgent(ai5, (protocol, name) => {
      const model = protocol === 'messages' ? anthropic5(access())(name) : openai5(access())[protocol](name)
      return { ...weatherRequest, model, stopWhen: ai5.stepCountIs(5) }
    }),
  ],
  [
    'AI SDK 6',
    anAgent(ai6, (protocol, name) => {
      const model = protocol === 'messages' ? anthropic6(access())(name) : openai6(access())[protocol](name)
      return { ...weatherRequest, model, stopWhen: ai6.stepCountIs(5) }
    }),
  ],
]
const cases = agents.flatMap(([version, agent]) =>
  everyProtocol.flatMap(protocol => chatModels.map(name => [version, protocol, name, agent] as const)),
)

test.each(cases)(
  '%s over %s: an agent on %s calls tools, whole and streamed',
  async (_, protocol, name, agent) => {
    expect(await agent.ask(protocol, name)).toMatch(/sunny in .* and .*sunny in /)
    expect(await agent.stream(protocol, name)).toMatch(/sunny in .* and .*sunny in /)
  },
)

test.each(protocols)('%s: a schema binds the answer', async protocol => {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const { output } = await generateText({
    ...theModel(protocol),
    output: Output.object({ schema }),
    prompt: 'The weather',
  })
  expect(output).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})

test.each(chatModels)('messages, %s: a schema binds the answer', async name => {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const { output } = await generateText({
    ...anthropicModel(name),
    output: Output.object({ schema }),
    prompt: 'The weather',
  })
  expect(output).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})
