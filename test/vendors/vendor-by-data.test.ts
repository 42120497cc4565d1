import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import { quirks } from '../../schema/catalog/vendor.ts'
import { aChatEntry } from '../harness/a-chat-call.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { answerChat, aVendor } from '../harness/a-vendor.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

/** A vendor on a free label that the catalogue describes: it reads the key from `api-key`, and it has every quirk. */

const model = 'vendor_r/rowan'

function addVendor(catalogue: Catalogue): void {
  const rowan = catalogue.vendors.find(({ label }) => label === 'vendor_r')
  Object.assign(rowan ?? {}, { key: { header: 'Api-Key', scheme: '' }, quirks: [...quirks] })
  const quill = aChatEntry('vendor_d/quill')
  const chat = { ...quill.chat, output_limit_field: 'max_completion_tokens' as const }
  catalogue.models.push({ ...quill, id: 'chat.rowan', model, provider: 'vendor_r', fallbacks: [], chat })
}

const vendor = perFile(() => aVendor((response, call) => answerChat(response, call)))
const system = perFile(() =>
  anEdgeSystem(
    { VENDOR_R_API_KEY: 'their-key', VENDOR_R_BASE_URL: `${vendor.url}/inference/v1` },
    { changeCatalogue: addVendor },
  ),
)
beforeEach(() => void vendor.calls.splice(0))
afterEach(() => expectLedgerToBalance(system.context.sql))

const conversation = {
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello', reasoning_content: 'They greet me.' },
    { role: 'user', content: 'What time is it?' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'now', strict: true, parameters: { type: 'object', properties: {} } },
    },
  ],
  parallel_tool_calls: true,
  stream_options: { include_usage: true },
}

test('gets its key in its header, at its address', async () => {
  const { openai } = await aClient(system)
  const { choices } = await openai.chat.completions.create(saying('Hi', model))
  expect(choices[0]?.message.content).toBe('Hello')
  const [call] = vendor.calls
  expect(call?.path).toBe('/inference/v1/chat/completions')
  expect(call?.headers).toMatchObject({ 'api-key': 'their-key' })
  expect(call?.headers).not.toHaveProperty('authorization')
})

test.each([false, true])('gets nothing that it refuses: streamed %s', async stream => {
  const client = await aClient(system)
  const response = await client.post('/chat/completions', { ...conversation, model, stream, max_tokens: 50 })
  expect(response.status, await response.text()).toBe(200)
  const sent = JSON.stringify(vendor.calls[0]?.body)
  for (const refused of ['developer', 'stream_options', 'parallel_tool_calls', 'strict', 'reasoning_content'])
    expect(sent).not.toContain(refused)
  const roles = ['system', 'user', 'assistant', 'user'].map(role => ({ role }))
  expect(vendor.calls[0]?.body).toMatchObject({
    messages: roles,
    max_completion_tokens: 50,
    tools: [{ function: { name: 'now' } }],
  })
})

test('a stream without the requested count is charged by an estimate', async () => {
  vendor.answer = (answer, call) => answerChat(answer, call, { usage: null })
  const client = await aClient(system)
  const response = await client.post('/chat/completions', { ...saying('Hi', model), stream: true })
  expect(await response.text()).toContain('[DONE]')
  await expect.poll(() => logsOf(system, client)).toHaveLength(1)
  expect(await logsOf(system, client)).toMatchObject([{ usage_estimated: true, vendor: 'vendor_r' }])
})
