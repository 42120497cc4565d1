import { Agent, ModelRefusalError, OpenAIProvider, Runner, tool } from '@openai/agents'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type ClientProtocol, protocols, protocolsOfModels } from './chat-models.ts'
import { collect } from './collect.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

let cities: string[] = []
beforeEach(() => {
  cities = []
})

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    cities.push(city)
    return `sunny in ${city}`
  },
})
const prompt = 'How is the weather? Ask in parallel.'

function theRunner(protocol: ClientProtocol): Runner {
  const modelProvider = new OpenAIProvider({
    apiKey: client.text,
    baseURL: system.baseURL,
    useResponses: protocol === 'responses',
  })
  return new Runner({ modelProvider, tracingDisabled: true })
}

function anAgent(model = 'vendor_a/atlas') {
  return new Agent({ name: 'forecaster', instructions: 'Be brief', model, tools: [weather] })
}

test.each(protocolsOfModels)(
  '%s: an agent on %s calls tools in parallel and answers with their results',
  async (protocol, model) => {
    const { finalOutput, rawResponses } = await theRunner(protocol).run(anAgent(model), prompt)
    expect(cities).toHaveLength(2)
    expect(finalOutput).toMatch(new RegExp(`sunny in ${cities[0]}.* and .*sunny in ${cities[1]}`))
    expect(rawResponses.map(response => response.usage.totalTokens > 0)).toEqual([true, true])
  },
)

test.each(protocolsOfModels)('%s: the same on %s, streamed', async (protocol, model) => {
  const result = await theRunner(protocol).run(anAgent(model), prompt, { stream: true })
  const words = await collect(result.toTextStream())
  await result.completed
  expect(cities).toHaveLength(2)
  expect(words.length).toBeGreaterThan(5)
  expect(result.finalOutput).toBe(words.join(''))
})

test.each(protocols)('%s: one agent hands over to another', async protocol => {
  const forecaster = anAgent()
  const desk = new Agent({ name: 'desk', model: 'vendor_a/atlas', handoffs: [forecaster] })
  const { lastAgent, finalOutput } = await theRunner(protocol).run(desk, 'The weather')
  expect(lastAgent?.name).toBe('forecaster')
  expect(finalOutput).toBeTruthy()
})

// Not over chat, streamed: there the SDK itself drops a message without text, and asks again.
test.each([
  ['responses', 'whole'],
  ['responses', 'streamed'],
  ['chat', 'whole'],
] as const)(
  '%s: an answer that says nothing, %s, ends the run instead of being asked for again',
  async (protocol, how) => {
    const agent = new Agent({ name: 'silent', model: 'vendor_a/atlas' })
    const question = 'Hi [[fault: blank]]'
    const result =
      how === 'streamed'
        ? await theRunner(protocol).run(agent, question, { stream: true })
        : await theRunner(protocol).run(agent, question)
    if ('completed' in result) await result.completed
    expect(result.finalOutput).toBe('')
    expect(system.simulator.calls).toHaveLength(1)
  },
)

test.each(protocols)('%s: a stream that breaks is thrown', async protocol => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const agent = new Agent({ name: 'teller', model: 'vendor_a/atlas' })
  const result = await theRunner(protocol).run(agent, 'say 60 words [[fault: error-frame;n=4]]', {
    stream: true,
  })
  await expect(collect(result.toTextStream())).rejects.toThrow()
})

test.each([false, true])(
  'responses: a refusal is heard as one, in the words of the model (streamed: %s)',
  async stream => {
    const agent = new Agent({ name: 'helper', model: 'vendor_b/lyric' })
    const refusing = 'Hi [[fault: refusal]]'
    const asking = async () => {
      const runner = theRunner('responses')
      if (!stream) return runner.run(agent, refusing)
      const result = await runner.run(agent, refusing, { stream: true })
      await collect(result.toTextStream())
      return result.completed
    }
    const thrown = await asking().catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(ModelRefusalError)
    expect(String(thrown)).toMatch(/Model refused to produce output: ./)
    expect(system.simulator.calls).toHaveLength(1)
  },
)
