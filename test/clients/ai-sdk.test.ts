import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, type ModelMessage, Output, stepCountIs, streamText } from 'ai'
import { createAnthropic as anthropic5 } from 'ai-anthropic-v2'
import { createAnthropic as anthropic6 } from 'ai-anthropic-v3'
import { createOpenAI as openai5 } from 'ai-openai-v2'
import { createOpenAI as openai6 } from 'ai-openai-v3'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ClientProtocol, longInstructions, protocols, protocolsOfModels } from './chat-models.ts'
import { collect } from './collect.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

const weather = {
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { city: string }) => `sunny in ${city}`,
}
const weatherRequest = {
  prompt: 'How is the weather? Ask in parallel.',
  tools: { weather },
  maxRetries: 0,
  maxOutputTokens: 1_000,
  providerOptions: { openai: { store: false } }, // version 5 refers to calls by their ids otherwise
  onError: () => {},
}

function theModel(
  protocol: ClientProtocol,
  name = protocol === 'messages' ? 'vendor_b/lyric' : 'vendor_a/atlas',
) {
  const settings = { apiKey: client.text, baseURL: system.baseURL }
  const model =
    protocol === 'messages' ? createAnthropic(settings)(name) : createOpenAI(settings)[protocol](name)
  return { model, maxRetries: 0, maxOutputTokens: 1_000 }
}

test.each(protocolsOfModels)(
  '%s: an agent on %s calls tools in parallel and answers with their results, whole and streamed',
  async (protocol, name) => {
    const request = { ...weatherRequest, ...theModel(protocol, name), stopWhen: stepCountIs(5) }
    const { steps, text, finishReason, warnings } = await generateText(request)
    const cities = steps[0]!.toolCalls.map(call => (call.dynamic ? '' : call.input.city))
    expect(cities).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
    expect(text).toMatch(new RegExp(`sunny in ${cities[0]}.* and .*sunny in ${cities[1]}`))
    const ended = { steps: steps.length, finishReason, warnings: warnings ?? [] }
    expect(ended).toEqual({ steps: 2, finishReason: 'stop', warnings: [] })

    const result = streamText(request)
    const parts = await collect(result.fullStream)
    const inputs = parts.filter(part => part.type === 'tool-call').map(part => part.input)
    expect(inputs).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
    expect(parts.filter(part => part.type === 'error')).toEqual([])
    expect(parts.filter(part => part.type === 'text-delta').length).toBeGreaterThan(5)
    expect(await result.text).toContain('sunny in')
    expect(await result.finishReason).toBe('stop')
  },
)

test.each(protocolsOfModels)(
  '%s: whole and streamed answers of %s are counted alike, with the tokens from the cache',
  async (protocol, name) => {
    const request = { ...theModel(protocol, name), instructions: longInstructions, prompt: 'Hello' }
    await generateText(request)
    const { totalUsage: whole } = await generateText(request)
    expect(whole.inputTokenDetails.cacheReadTokens).toBeGreaterThan(1_000)
    expect(await streamText(request).totalUsage).toEqual(whole)
  },
)

test.each(protocols)('%s: a stream that breaks is an error', async protocol => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const prompt = 'say 60 words [[fault: error-frame;n=4]]'
  const parts = await collect(streamText({ ...theModel(protocol), prompt, onError: () => {} }).fullStream)
  expect(parts.filter(part => part.type === 'error')).not.toEqual([])
})

test.each(protocolsOfModels)('%s: a schema binds the answer of %s', async (protocol, name) => {
  const output = Output.object({ schema: z.object({ city: z.string(), degrees: z.number() }) })
  const answer = await generateText({ ...theModel(protocol, name), output, prompt: 'The weather' })
  expect(answer.output).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
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

test('messages: the client reads that the limit of tokens is reached', async () => {
  const request = { ...theModel('messages'), prompt: 'say 200 words', maxOutputTokens: 8 }
  expect((await generateText(request)).finishReason).toBe('length')
  expect(await streamText(request).finishReason).toBe('length')
})

test('messages: the words of an error are heard, and whether to try again', async () => {
  const failing = async (text: string, name?: string) =>
    generateText({ ...theModel('messages', name), prompt: text }).catch((thrown: unknown) => thrown)
  const unknown = await failing('Hi', 'vendor_b/none')
  expect(unknown).toBeInstanceOf(APICallError)
  const message = expect.stringContaining('vendor_b/none')
  expect(unknown).toMatchObject({ statusCode: 404, isRetryable: false, message })
  expect(await failing('Hi [[fault: 529]]')).toMatchObject({ statusCode: 529, isRetryable: true })
})

/** Resolves to the last answers of an agent that asks for the weather, whole and streamed. */
type Agent = (protocol: ClientProtocol, name: string) => Promise<[whole: string, streamed: string]>

const agents: [string, Agent][] = [
  [
    'AI SDK 5',
    async (protocol, name) => {
      const settings = { apiKey: client.text, baseURL: system.baseURL }
      const model = protocol === 'messages' ? anthropic5(settings)(name) : openai5(settings)[protocol](name)
      const request = { ...weatherRequest, model, stopWhen: ai5.stepCountIs(5) }
      return [(await ai5.generateText(request)).text, await streamedText(ai5.streamText(request))]
    },
  ],
  [
    'AI SDK 6',
    async (protocol, name) => {
      const settings = { apiKey: client.text, baseURL: system.baseURL }
      const model = protocol === 'messages' ? anthropic6(settings)(name) : openai6(settings)[protocol](name)
      const request = { ...weatherRequest, model, stopWhen: ai6.stepCountIs(5) }
      return [(await ai6.generateText(request)).text, await streamedText(ai6.streamText(request))]
    },
  ],
]

/** The text of a stream. Throws an error that the stream reports. */
async function streamedText(stream: {
  fullStream: AsyncIterable<{ type: string; error?: unknown }>
  text: PromiseLike<string>
}): Promise<string> {
  for (const part of await collect(stream.fullStream)) if (part.type === 'error') throw part.error
  return stream.text
}

const cases = agents.flatMap(([version, agent]) =>
  protocolsOfModels.map(way => [version, ...way, agent] as const),
)

test.each(cases)(
  '%s over %s: an agent on %s calls tools, whole and streamed',
  async (_, protocol, name, agent) => {
    for (const text of await agent(protocol, name)) expect(text).toMatch(/sunny in .* and .*sunny in /)
  },
)
