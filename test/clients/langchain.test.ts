import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ClientProtocol, longInstructions, protocols, protocolsOfModels } from './chat-models.ts'
import { heard, talkAboutWeather, usageOf } from './langchain-agent.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

function theModel(protocol: ClientProtocol, fields: { maxTokens?: number; model?: string } = {}) {
  const configuration = { baseURL: system.baseURL }
  const useResponsesApi = protocol === 'responses'
  return new ChatOpenAI({
    ...{ model: 'vendor_a/atlas', apiKey: client.text, configuration, useResponsesApi, maxRetries: 0 },
    ...fields,
  })
}

const ways = protocolsOfModels.flatMap(way => [[...way, 'whole'] as const, [...way, 'streamed'] as const])

test.each(ways)(
  '%s: an agent on %s calls tools and answers with their results, %s',
  async (protocol, name, how) => {
    const { last, goOn } = await talkAboutWeather(theModel(protocol, { model: name }), how)
    expect(usageOf(last)?.total_tokens).toBeGreaterThan(0)
    expect(usageOf(last)?.input_token_details?.cache_read ?? 0).toBe(0)
    expect((await goOn('And now?')).tool_calls).toHaveLength(1)
  },
)

test.each(protocols)('%s: what was read from the cache is told, whole and streamed', async protocol => {
  const model = theModel(protocol)
  const messages = [new SystemMessage(longInstructions), new HumanMessage('Hello')]
  await model.invoke(messages)
  for (const answer of [await model.invoke(messages), await heard(await model.stream(messages))])
    expect(usageOf(answer)?.input_token_details?.cache_read).toBeGreaterThan(1_000)
})

test.each(protocols)('%s: a schema binds the answer', async protocol => {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const answer = await theModel(protocol)
    .withStructuredOutput(schema, { method: 'jsonSchema' })
    .invoke('The weather')
  expect(answer).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})

test.each(protocols)('%s: the limit of tokens is heard', async protocol => {
  const model = theModel(protocol, { maxTokens: 8 })
  const whole = await model.invoke('say 200 words')
  const streamed = await heard(await model.stream('say 200 words'))
  const told = {
    responses: { incomplete_details: { reason: 'max_output_tokens' } },
    chat: { finish_reason: 'length' },
  }
  for (const { response_metadata } of [whole, streamed])
    expect(response_metadata).toMatchObject(told[protocol])
})

test.each(protocols)('%s: a stream that breaks is thrown', async protocol => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const stream = await theModel(protocol).stream('say 60 words [[fault: error-frame;n=4]]')
  await expect(heard(stream)).rejects.toThrow(/was interrupted|failed to answer/)
})
