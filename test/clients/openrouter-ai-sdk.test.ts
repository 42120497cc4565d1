import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

const tools = {
  weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  }),
}

function theModel(model: string, settings: object) {
  const openrouter = createOpenRouter({ apiKey: client.text, baseURL: system.baseURL })
  return { model: openrouter.chat(model, settings), maxRetries: 0 }
}

test('an agent of the OpenRouter provider names its models and vendors, whole and streamed', async () => {
  const settings = {
    models: ['vendor_b/lyric'],
    provider: { order: ['vendor_a'], allow_fallbacks: true, max_price: { prompt: 5, completion: 30 } },
    usage: { include: true },
    user: 'someone',
  }
  const asked = { ...theModel('vendor_a/atlas', settings), tools, prompt: 'How is the weather?' }
  const whole = await generateText({ ...asked, stopWhen: stepCountIs(3) })
  expect(whole.text).toContain('sunny in')
  expect(whole.response.modelId).toBe('vendor_a/atlas')
  const streamed = streamText({ ...asked, stopWhen: stepCountIs(3) })
  expect(await streamed.text).toContain('sunny in')
  const sent = new Set(system.simulator.calls.flatMap(({ body }) => Object.keys(body ?? {})))
  expect([sent.has('messages'), sent.has('models'), sent.has('provider')]).toEqual([true, false, false])
})

test('the next model of the list answers if the first one fails', async () => {
  const { response } = await generateText({
    ...theModel('vendor_a/atlas', { models: ['vendor_b/lyric'] }),
    // The first call and its retry.
    prompt: 'Hi [[fault: flaky;n=2;status=500;key=openrouter]]',
  })
  expect(response.modelId).toBe('vendor_b/lyric')
})

test('the OpenRouter provider reads the cost of each answer, whole and streamed', async () => {
  const asked = { ...theModel('vendor_a/atlas', {}), prompt: 'Hello' }
  const whole = await generateText(asked)
  const streamed = streamText(asked)
  await streamed.text
  const metadata = [whole.providerMetadata, await streamed.providerMetadata]
  const costs = metadata.map(each => each?.openrouter?.usage)
  const logs = await system.context.sql<{ cost: number }[]>`
    select cost_nanos::float8 / 1e9 as cost from request_logs
    where account_id = ${client.accountId} order by created_at desc limit 2`
  expect(costs).toMatchObject(logs.map(({ cost }) => ({ cost })).toReversed())
})
