import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { type ClientProtocol, protocols, protocolsOfModels } from './chat-models.ts'
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
