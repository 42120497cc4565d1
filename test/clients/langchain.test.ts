import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  type ClientProtocol,
  chatModels,
  longInstructions,
  protocols,
  protocolsOfModels,
} from './chat-models.ts'
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

test.each(protocols)('%s: a stream that breaks is thrown', async protocol => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const stream = await theModel(protocol).stream('say 60 words [[fault: error-frame;n=4]]')
  await expect(heard(stream)).rejects.toThrow(/was interrupted|failed to answer/)
})

function anthropicModel(fields: { maxTokens?: number; model?: string } = {}) {
  return new ChatAnthropic({
    ...{ model: 'vendor_b/lyric', apiKey: client.text, anthropicApiUrl: system.edge.url, maxRetries: 0 },
    ...fields,
  })
}

const anthropicWays = chatModels.flatMap(name => [[name, 'whole'] as const, [name, 'streamed'] as const])

test.each(anthropicWays)(
  'messages: an agent on %s calls tools and answers with their results, %s',
  async (name, how) => {
    await talkAboutWeather(anthropicModel({ model: name }), how)
  },
)

/** This client reads the input tokens from the first event. If the vendor counts only at the end, they are an estimate. */
test.each(chatModels.slice(1))(
  'messages, %s: whole and streamed are counted alike, what was cached too',
  async name => {
    const model = anthropicModel({ model: name })
    const messages = [new SystemMessage(longInstructions), new HumanMessage('Hello')]
    await model.invoke(messages)
    const whole = await model.invoke(messages)
    const streamed = await heard(await model.stream(messages))
    expect(usageOf(whole)?.input_token_details?.cache_read).toBeGreaterThan(1_000)
    expect(usageOf(streamed)).toMatchObject({
      input_tokens: usageOf(whole)?.input_tokens,
      output_tokens: usageOf(whole)?.output_tokens,
      input_token_details: { cache_read: usageOf(whole)?.input_token_details?.cache_read },
    })
  },
)

test('messages: the limit of tokens is heard, and a stream that breaks is thrown', async () => {
  const model = anthropicModel({ maxTokens: 8 })
  for (const answer of [
    await model.invoke('say 200 words'),
    await heard(await model.stream('say 200 words')),
  ])
    expect(JSON.stringify([answer.response_metadata, answer.additional_kwargs])).toContain('max_tokens')

  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const stream = await anthropicModel().stream('say 60 words [[fault: error-frame;n=4]]')
  await expect(heard(stream)).rejects.toThrow(/was interrupted/)
})

test.each(protocols)('%s: a schema binds the answer', async protocol => {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const answer = await theModel(protocol)
    .withStructuredOutput(schema, { method: 'jsonSchema' })
    .invoke('The weather')
  expect(answer).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
})

test.each(chatModels)(
  'messages, %s: a schema binds the answer, by a tool that must be called',
  async name => {
    const schema = z.object({ city: z.string(), degrees: z.number() })
    const answer = await anthropicModel({ model: name }).withStructuredOutput(schema).invoke('The weather')
    expect(answer).toEqual({ city: expect.any(String), degrees: expect.any(Number) })
  },
)
