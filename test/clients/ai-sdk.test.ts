import { createOpenAI } from '@ai-sdk/openai'
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ClientProtocol, longInstructions, protocols, protocolsOfModels } from './chat-models.ts'
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
