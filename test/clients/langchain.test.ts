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

function theModel(protocol: ClientProtocol, model = 'vendor_a/atlas', maxTokens = 1_000) {
  const fields = { model, apiKey: client.text, maxRetries: 0, maxTokens }
  if (protocol === 'messages') return new ChatAnthropic({ ...fields, anthropicApiUrl: system.edge.url })
  const configuration = { baseURL: system.baseURL }
  return new ChatOpenAI({ ...fields, configuration, useResponsesApi: protocol === 'responses' })
}

test.each(protocolsOfModels)(
  '%s: an agent on %s calls tools and answers with their results, whole and streamed',
  async (protocol, name) => {
    for (const how of ['whole', 'streamed'] as const) {
      const { last, goOn } = await talkAboutWeather(theModel(protocol, name), how)
      expect(usageOf(last)?.total_tokens).toBeGreaterThan(0)
      expect((await goOn('And now?')).tool_calls).toHaveLength(1)
    }
  },
)

test.each(protocols)('%s: a stream that breaks is thrown', async protocol => {
  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const stream = await theModel(protocol).stream('say 60 words [[fault: error-frame;n=4]]')
  await expect(heard(stream)).rejects.toThrow(/was interrupted|failed to answer/)
})

/** This client reads the input tokens from the first event. If the vendor counts only at the end, they are an estimate. */
test.each(chatModels.slice(1))(
  'messages, %s: whole and streamed are counted alike, what was cached too',
  async name => {
    const model = theModel('messages', name)
    const messages = [new SystemMessage(longInstructions), new HumanMessage('Hello')]
    await model.invoke(messages)
    const whole = usageOf(await model.invoke(messages))
    const cache_read = whole?.input_token_details?.cache_read
    expect(cache_read).toBeGreaterThan(1_000)
    expect(usageOf(await heard(await model.stream(messages)))).toMatchObject({
      input_tokens: whole?.input_tokens,
      output_tokens: whole?.output_tokens,
      input_token_details: { cache_read },
    })
  },
)

test('messages: the client reads that the limit of tokens is reached', async () => {
  const model = theModel('messages', 'vendor_b/lyric', 8)
  for (const answer of [
    await model.invoke('say 200 words'),
    await heard(await model.stream('say 200 words')),
  ])
    expect(JSON.stringify([answer.response_metadata, answer.additional_kwargs])).toContain('max_tokens')
})

// Over messages by a tool that must be called.
test.each(protocolsOfModels)('%s: a schema binds the answer of %s', async (protocol, name) => {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const model = theModel(protocol, name)
  const bound =
    model instanceof ChatOpenAI
      ? model.withStructuredOutput(schema, { method: 'jsonSchema' })
      : model.withStructuredOutput(schema)
  expect(await bound.invoke('The weather')).toEqual({
    city: expect.any(String),
    degrees: expect.any(Number),
  })
})
