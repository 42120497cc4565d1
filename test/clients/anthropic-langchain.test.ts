import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { chatModels, longInstructions } from './chat-models.ts'
import { heard, talkAboutWeather, usageOf } from './langchain-agent.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

function theModel(fields: { maxTokens?: number; model?: string } = {}) {
  return new ChatAnthropic({
    ...{ model: 'vendor_b/lyric', apiKey: client.text, anthropicApiUrl: system.edge.url, maxRetries: 0 },
    ...fields,
  })
}

const ways = chatModels.flatMap(name => [[name, 'whole'] as const, [name, 'streamed'] as const])

test.each(ways)('an agent on %s calls tools and answers with their results, %s', async (name, how) => {
  await talkAboutWeather(theModel({ model: name }), how)
})

/** This client reads the input tokens from the first event. If the vendor counts only at the end, they are an estimate. */
test.each(chatModels.slice(1))(
  '%s: whole and streamed are counted alike, what was cached too',
  async name => {
    const model = theModel({ model: name })
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

test('the limit of tokens is heard, and a stream that breaks is thrown', async () => {
  const model = theModel({ maxTokens: 8 })
  for (const answer of [
    await model.invoke('say 200 words'),
    await heard(await model.stream('say 200 words')),
  ])
    expect(JSON.stringify([answer.response_metadata, answer.additional_kwargs])).toContain('max_tokens')

  system.simulator.change({ chunkDelayMs: 5 }) // or the error would come with the first chunk, as a status
  const stream = await theModel().stream('say 60 words [[fault: error-frame;n=4]]')
  await expect(heard(stream)).rejects.toThrow(/was interrupted/)
})
