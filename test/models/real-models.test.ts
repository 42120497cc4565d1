import { expect, test } from 'vitest'
import { chooseCatalogue } from '../../dev/choose-catalogue.ts'
import { aClient } from '../harness/a-client.ts'
import { answerJson, aVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const vendor = perFile(() => aVendor((response, { body }) => answerJson(response, 200, answerOf(body))))
const system = perFile(async () => {
  const catalogue = await chooseCatalogue({ VENDOR_A_API_KEY: 'sk-real' })
  const settings = { VENDOR_A_API_KEY: 'sk-real', VENDOR_A_BASE_URL: `${vendor.url}/v1` }
  return anEdgeSystem(settings, { changeCatalogue: chosen => Object.assign(chosen, catalogue) })
})

test.each([
  // 600 input at 2,500 nano-dollars, 400 cached at 250, 50 output at 15,000
  ['openai/gpt-5.4', 'gpt-5.4', 2_350_000],
  ['gpt-5.4', 'gpt-5.4', 2_350_000],
  ['vendor_a/gpt-5.4', 'gpt-5.4', 2_350_000],
  // 600 input at 50 nano-dollars, 400 cached at 5, 50 output at 400
  ['openai/gpt-5-nano', 'gpt-5-nano', 52_000],
])('the OpenAI SDK calls %s at its real price', async (name, upstream, costNanos) => {
  const client = await aClient(system)
  const { model, choices, usage } = await client.openai.chat.completions.create({
    model: name,
    messages: [{ role: 'user', content: 'How far is the moon? '.repeat(200) }],
  })
  expect(model).toBe(`vendor_a/${upstream}`)
  expect(choices[0]?.message.content).toBe('384,400 km')
  expect(usage).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 50 })
  expect(vendor.calls.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    key: 'sk-real',
    body: { model: upstream },
  })
  const charged = await system.context.sql`
    select model, cost_nanos::int as "costNanos" from request_logs where account_id = ${client.accountId}`
  expect(charged).toEqual([{ model: `vendor_a/${upstream}`, costNanos }])
  const spent = await system.context.sql`
    select -credits_nanos::int as "costNanos" from transactions
    where account_id = ${client.accountId} and payment_method = 'usage'`
  expect(spent).toEqual([{ costNanos }])
})

function answerOf(body: unknown) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_783_000_000,
    model: typeof body === 'object' && body !== null && 'model' in body ? body.model : '',
    choices: [{ index: 0, message: { role: 'assistant', content: '384,400 km' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 50,
      total_tokens: 1_050,
      prompt_tokens_details: { cached_tokens: 400 },
    },
  }
}
