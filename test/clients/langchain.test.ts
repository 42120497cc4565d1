import { type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { chatModels } from './chat-models.ts'

let house: EdgeHouse
let client: TestClient

beforeAll(async () => {
  house = await anEdgeHouse()
  client = await aClient(house)
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

const weather = tool(async ({ city }) => `sunny in ${city}`, {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
})

function theModel(fields: { maxTokens?: number; model?: string } = {}) {
  const configuration = { baseURL: house.baseURL }
  return new ChatOpenAI({
    ...{ model: 'vendor_a/atlas', apiKey: client.text, configuration, useResponsesApi: true, maxRetries: 0 },
    ...fields,
  })
}

/** A stream, put together again. */
async function heard(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk
  return whole!
}

const ways = chatModels.flatMap(model => [[model, 'whole'] as const, [model, 'streamed'] as const])

test.each(ways)('an agent on %s calls tools and answers with their results, %s', async (name, how) => {
  const model = theModel({ model: name }).bindTools([weather])
  const ask = async (messages: BaseMessage[]) =>
    how === 'whole' ? model.invoke(messages) : heard(await model.stream(messages))
  const messages: BaseMessage[] = [new HumanMessage('What is the weather? Ask in parallel.')]
  const first = await ask(messages)
  expect(first.tool_calls?.map(call => call.args)).toEqual([
    { city: expect.stringMatching(/./) },
    { city: expect.stringMatching(/./) },
  ])
  messages.push(first)
  for (const call of first.tool_calls ?? []) {
    messages.push(await weather.invoke({ ...call, type: 'tool_call' as const }))
  }
  const second = await ask(messages)
  expect(second.text).toMatch(/sunny in .* and .*sunny in/)
  expect(second.usage_metadata).toMatchObject({
    total_tokens: expect.any(Number),
    input_token_details: { cache_read: 0, cache_creation: 0 },
  })
  messages.push(second, new HumanMessage('And now?'))
  expect((await ask(messages)).tool_calls).toHaveLength(1)
})

test('a schema binds the answer', async () => {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const answer = await theModel().withStructuredOutput(schema, { method: 'jsonSchema' }).invoke('The weather')
  expect(answer).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})

test('the limit of tokens is heard', async () => {
  const model = theModel({ maxTokens: 8 })
  const whole = await model.invoke('say 200 words')
  const streamed = await heard(await model.stream('say 200 words'))
  for (const { response_metadata } of [whole, streamed]) {
    expect(response_metadata).toMatchObject({ incomplete_details: { reason: 'max_output_tokens' } })
  }
})

test('a stream that breaks is thrown', async () => {
  const stream = await theModel().stream('say 60 words [[fault: error-frame;n=4]]')
  await expect(heard(stream)).rejects.toThrow('The vendor failed to answer')
})
