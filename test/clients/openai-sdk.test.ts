import OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { beforeEach, expect, test } from 'vitest'
import { saying } from '../harness/a-client.ts'
import { chatModels } from './chat-models.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

let cities: string[] = []
beforeEach(() => {
  cities = []
})

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

test.each(chatModels)('runTools() on %s calls tools in parallel and ends with an answer', async model => {
  const runner = client.openai.chat.completions.runTools({ model, messages, tools })
  expectBothCities(await runner.finalContent())
  expect((await runner.totalUsage()).total_tokens).toBeGreaterThan(0)
})

test.each(chatModels)('runTools() on %s, streamed', async model => {
  const runner = client.openai.chat.completions.runTools({ model, messages, tools, stream: true })
  let heard = ''
  runner.on('content', delta => {
    heard += delta
  })
  const answer = await runner.finalContent()
  expectBothCities(answer)
  expect(heard).toBe(answer)
})

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

function expectBothCities(answer: string | null): void {
  expect(cities).toHaveLength(2)
  expect(answer).toMatch(new RegExp(`sunny in ${cities[0]}.* and .*sunny in ${cities[1]}`))
}
