import { createOpenAI } from '@ai-sdk/openai'
import { generateText, type ModelMessage, Output, stepCountIs, streamText, tool } from 'ai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { chatModels } from './chat-models.ts'
import { collect } from './collect.ts'

let house: EdgeHouse
let client: TestClient

beforeAll(async () => {
  house = await anEdgeHouse()
  client = await aClient(house)
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

const prompt = 'What is the weather? Ask in parallel.'
const tools = {
  weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  }),
}

function theModel(name = 'vendor_a/atlas') {
  const openai = createOpenAI({ apiKey: client.text, baseURL: house.baseURL })
  return { model: openai.responses(name), maxRetries: 0 }
}

test.each(chatModels)('an agent calls tools of %s in parallel and answers with their results', async name => {
  const { steps, text, finishReason, totalUsage, warnings } = await generateText({
    ...theModel(name),
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
  expect(totalUsage.inputTokenDetails).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 0 })
})

test.each(chatModels)('the same of %s, streamed', async name => {
  const result = streamText({ ...theModel(name), ...{ tools, prompt, stopWhen: stepCountIs(5) } })
  const parts = await collect(result.fullStream)
  const inputs = parts.filter(part => part.type === 'tool-call').map(part => part.input)
  expect(inputs).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
  expect(parts.filter(part => part.type === 'error')).toEqual([])
  expect(parts.filter(part => part.type === 'text-delta').length).toBeGreaterThan(5)
  expect(await result.text).toContain('sunny in')
  expect(await result.finishReason).toBe('stop')
  expect((await result.totalUsage).totalTokens).toBeGreaterThan(0)
})

test('a schema binds the answer', async () => {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const { output } = await generateText({
    ...theModel(),
    output: Output.object({ schema }),
    prompt: 'The weather',
  })
  expect(output).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})

test('the limit of tokens is heard', async () => {
  const request = { ...theModel(), prompt: 'say 200 words', maxOutputTokens: 8 }
  expect((await generateText(request)).finishReason).toBe('length')
  expect(await streamText(request).finishReason).toBe('length')
})

test('a stream that breaks is heard as an error', async () => {
  const result = streamText({
    ...theModel(),
    prompt: 'say 60 words [[fault: error-frame;n=4]]',
    onError: () => {},
  })
  const parts = await collect(result.fullStream)
  expect(parts.filter(part => part.type === 'error')).not.toEqual([])
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' })
})

test('a conversation goes on where nothing is to be stored; where it would be, the error says what to do', async () => {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Hello' }]
  const first = await generateText({ ...theModel(), messages })
  messages.push(...first.response.messages, { role: 'user', content: 'And now?' })
  const stored = generateText({ ...theModel(), messages })
  await expect(stored).rejects.toThrow(/store: false/)
  const openai = { store: false }
  const second = await generateText({ ...theModel(), messages, providerOptions: { openai } })
  expect(second.text).toContain('And now?')
  expect(house.simulator.calls.at(-1)?.body).toMatchObject({
    messages: [{ content: 'Hello' }, { role: 'assistant', content: first.text }, { content: 'And now?' }],
  })
})
