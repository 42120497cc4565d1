import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { chatModels } from './chat-models.ts'
import { collect } from './collect.ts'

let house: EdgeHouse
let client: TestClient
let cities: string[] = []

beforeAll(async () => {
  house = await anEdgeHouse()
  client = await aClient(house)
})
beforeEach(() => {
  cities = []
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    cities.push(city)
    return `sunny in ${city}`
  },
})
const prompt = 'What is the weather? Ask in parallel.'

function theRunner(): Runner {
  const modelProvider = new OpenAIProvider({
    apiKey: client.text,
    baseURL: house.baseURL,
    useResponses: true,
  })
  return new Runner({ modelProvider, tracingDisabled: true })
}

function anAgent(model = 'vendor_a/atlas') {
  return new Agent({ name: 'forecaster', instructions: 'Be brief', model, tools: [weather] })
}

test.each(chatModels)(
  'an agent on %s calls tools in parallel and answers with their results',
  async model => {
    const { finalOutput, rawResponses } = await theRunner().run(anAgent(model), prompt)
    expect(cities).toHaveLength(2)
    expect(finalOutput).toMatch(new RegExp(`sunny in ${cities[0]}.* and .*sunny in ${cities[1]}`))
    expect(rawResponses.map(response => response.usage.totalTokens > 0)).toEqual([true, true])
  },
)

test.each(chatModels)('the same on %s, streamed', async model => {
  const result = await theRunner().run(anAgent(model), prompt, { stream: true })
  const words = await collect(result.toTextStream())
  await result.completed
  expect(cities).toHaveLength(2)
  expect(words.length).toBeGreaterThan(5)
  expect(result.finalOutput).toBe(words.join(''))
})

test('one agent hands over to another', async () => {
  const forecaster = anAgent()
  const desk = new Agent({ name: 'desk', model: 'vendor_a/atlas', handoffs: [forecaster] })
  const { lastAgent, finalOutput } = await theRunner().run(desk, 'The weather')
  expect(lastAgent?.name).toBe('forecaster')
  expect(finalOutput).toBeTruthy()
})

test('a schema binds the answer', async () => {
  const outputType = z.object({ city: z.string(), degrees: z.number() })
  const agent = new Agent({ name: 'forecaster', model: 'vendor_a/atlas', outputType })
  const { finalOutput } = await theRunner().run(agent, 'The weather')
  expect(finalOutput).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})

test('an answer that says nothing ends the run instead of being asked for again', async () => {
  house.simulator.reset()
  for (const stream of [false, true] as const) {
    const agent = new Agent({ name: 'silent', model: 'vendor_a/atlas' })
    const run = stream
      ? theRunner().run(agent, 'Hi [[fault: blank]]', { stream: true })
      : theRunner().run(agent, 'Hi [[fault: blank]]')
    const result = await run
    if ('completed' in result) await result.completed
    expect(result.finalOutput).toBe('')
  }
  expect(house.simulator.calls).toHaveLength(2)
})

test('a stream that breaks is thrown', async () => {
  const agent = new Agent({ name: 'teller', model: 'vendor_a/atlas' })
  const result = await theRunner().run(agent, 'say 60 words [[fault: error-frame;n=4]]', { stream: true })
  await expect(collect(result.toTextStream())).rejects.toThrow()
})
