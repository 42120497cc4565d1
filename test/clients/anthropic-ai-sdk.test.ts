import { createAnthropic } from '@ai-sdk/anthropic'
import { APICallError, generateText, stepCountIs, streamText, tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { chatModels, longInstructions } from './chat-models.ts'
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

function theModel(name = 'vendor_b/lyric') {
  const anthropic = createAnthropic({ apiKey: client.text, baseURL: system.baseURL })
  return { model: anthropic(name), maxRetries: 0, maxOutputTokens: 1_000 }
}

test.each(chatModels)('an agent on %s calls tools in parallel and answers with their results', async name => {
  const { steps, text, finishReason } = await generateText({
    ...theModel(name),
    ...{ tools, prompt, stopWhen: stepCountIs(5) },
  })
  const cities = steps[0]!.toolCalls.map(call => (call.dynamic ? '' : call.input.city))
  expect(cities).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
  expect(text).toMatch(new RegExp(`sunny in ${cities[0]}.* and .*sunny in ${cities[1]}`))
  expect({ steps: steps.length, finishReason }).toEqual({ steps: 2, finishReason: 'stop' })
})

test.each(chatModels)('the same on %s, streamed', async name => {
  const result = streamText({ ...theModel(name), ...{ tools, prompt, stopWhen: stepCountIs(5) } })
  const parts = await collect(result.fullStream)
  const inputs = parts.filter(part => part.type === 'tool-call').map(part => part.input)
  expect(inputs).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
  expect(parts.filter(part => part.type === 'error')).toEqual([])
  expect(parts.filter(part => part.type === 'text-delta').length).toBeGreaterThan(5)
  expect(await result.text).toContain('sunny in')
  expect(await result.finishReason).toBe('stop')
})

test.each(chatModels)('%s: whole and streamed are counted alike, what was cached too', async name => {
  const request = { ...theModel(name), instructions: longInstructions, prompt: 'Hello' }
  await generateText(request)
  const { totalUsage: whole } = await generateText(request)
  expect(whole.inputTokenDetails.cacheReadTokens).toBeGreaterThan(1_000)
  expect(await streamText(request).totalUsage).toEqual(whole)
})

test('the limit of tokens is heard, and a stream that breaks', async () => {
  const request = { ...theModel(), prompt: 'say 200 words', maxOutputTokens: 8 }
  expect((await generateText(request)).finishReason).toBe('length')
  expect(await streamText(request).finishReason).toBe('length')

  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const broken = streamText({
    ...theModel(),
    prompt: 'say 60 words [[fault: error-frame;n=4]]',
    onError: () => {},
  })
  const parts = await collect(broken.fullStream)
  expect(parts.filter(part => part.type === 'error')).not.toEqual([])
})

test('the words of an error are heard, and whether to try again', async () => {
  const failing = async (text: string, name?: string) =>
    generateText({ ...theModel(name), prompt: text }).catch((thrown: unknown) => thrown)
  const unknown = await failing('Hi', 'vendor_b/none')
  expect(unknown).toBeInstanceOf(APICallError)
  expect(unknown).toMatchObject({
    statusCode: 404,
    isRetryable: false,
    message: expect.stringContaining('vendor_b/none'),
  })
  expect(await failing('Hi [[fault: 529]]')).toMatchObject({ statusCode: 529, isRetryable: true })
})
