import { Agent, ModelRefusalError, OpenAIProvider, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { saying } from '../harness/a-client.ts'
import { chatModels } from './chat-models.ts'
import { collect } from './collect.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

const cities: string[] = []
beforeEach(() => void cities.splice(0))

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      parse: (text: string): { city: string } => JSON.parse(text),
      function({ city }: { city: string }) {
        cities.push(city)
        return `sunny in ${city}`
      },
    },
  },
]
const messages: ChatCompletionMessageParam[] = [
  { role: 'user', content: 'How is the weather? Ask in parallel.' },
]

test.each(chatModels)(
  'runTools() on %s calls tools in parallel and ends with an answer, whole and streamed',
  async model => {
    const runner = client.openai.chat.completions.runTools({ model, messages, tools })
    expectBothCities(await runner.finalContent())
    expect((await runner.totalUsage()).total_tokens).toBeGreaterThan(0)

    const streamed = client.openai.chat.completions.runTools({ model, messages, tools, stream: true })
    let heard = ''
    streamed.on('content', delta => {
      heard += delta
    })
    expectBothCities(await streamed.finalContent())
    expect(heard).toBe(await streamed.finalContent())
  },
)

test.each(chatModels)('stream() on %s puts an answer together, event by event', async model => {
  const stream = client.openai.chat.completions.stream({
    ...saying('say 20 words', model),
    stream_options: { include_usage: true },
  })
  let heard = ''
  stream.on('content.delta', ({ delta }) => {
    heard += delta
  })
  const { choices, usage } = await stream.finalChatCompletion()
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: heard } })
  expect(heard.split(' ').length).toBeGreaterThan(10)
  expect(usage?.total_tokens).toBeGreaterThan(0)
})

test('stream() throws where the stream breaks', async () => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const stream = client.openai.chat.completions.stream(saying('say 60 words [[fault: error-frame;n=4]]'))
  await expect(stream.finalChatCompletion()).rejects.toThrow(OpenAI.OpenAIError)
})

/** Expects two calls since the last expectation, and an answer with their results. */
function expectBothCities(answer: string | null | undefined): void {
  const [first, second, ...more] = cities.splice(0)
  expect(more).toEqual([])
  expect(answer).toMatch(new RegExp(`sunny in ${first}.* and .*sunny in ${second}`))
}

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

const protocols = ['responses', 'chat'] as const

function theRunner(protocol: 'responses' | 'chat'): Runner {
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

test.each(protocols.flatMap(protocol => chatModels.map(model => [protocol, model] as const)))(
  '%s: an agent on %s calls tools in parallel and answers with their results, whole and streamed',
  async (protocol, model) => {
    const { finalOutput, rawResponses } = await theRunner(protocol).run(anAgent(model), prompt)
    expectBothCities(finalOutput)
    expect(rawResponses.map(response => response.usage.totalTokens > 0)).toEqual([true, true])

    const result = await theRunner(protocol).run(anAgent(model), prompt, { stream: true })
    const words = await collect(result.toTextStream())
    await result.completed
    expectBothCities(result.finalOutput)
    expect(words.length).toBeGreaterThan(5)
    expect(result.finalOutput).toBe(words.join(''))
  },
)

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

test.each(protocols)('%s: a schema binds the answer', async protocol => {
  const outputType = z.object({ city: z.string(), degrees: z.number() })
  const agent = new Agent({ name: 'forecaster', model: 'vendor_a/atlas', outputType })
  const { finalOutput } = await theRunner(protocol).run(agent, 'The weather')
  expect(finalOutput).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})
