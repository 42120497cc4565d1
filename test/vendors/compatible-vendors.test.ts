import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { aChatEntry } from '../harness/a-chat-call.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

/** Vendors that speak vendor_a's format: their prompt cache has no partitions, and refuses what is not salted. */

const vendor = perFile(() => startSimulator({ settings: { requireSalt: true } }))
const system = perFile(() => {
  const reach = (name: string) => ({
    [`VENDOR_${name}_API_KEY`]: 'sim-platform-key',
    [`VENDOR_${name}_BASE_URL`]: `${vendor.url}/compatible/v1`,
  })
  return anEdgeSystem({ ...reach('D'), ...reach('E'), ...reach('R') })
})
beforeAll(() => addRowan())
beforeEach(() => vendor.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

const models = ['vendor_d/quill', 'vendor_e/ember-coder', 'vendor_r/rowan']

const longSystem = 'Remember the rules of the system. '.repeat(400)
const tools = [{ type: 'function', function: { name: 'now', parameters: {}, description: 'The time.' } }]

async function cachedOf(client: TestClient, model: string, fields: object = {}): Promise<number> {
  const messages = [
    { role: 'system', content: longSystem },
    { role: 'user', content: 'Hi' },
  ]
  const response = await client.post('/chat/completions', { model, messages, ...fields })
  const { usage, error } = await response.json()
  expect(error).toBeUndefined()
  return usage.prompt_tokens_details?.cached_tokens ?? 0
}

describe.each(models)('%s', model => {
  test('answers whole and streamed, with the credential of its own vendor', async () => {
    const { openai } = await aClient(system)
    const { choices } = await openai.chat.completions.create(saying('Hello there', model))
    expect(choices[0]?.message.content).toContain('Hello there')
    const stream = await openai.chat.completions.create({ ...saying('Hello there', model), stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe(choices[0]?.message.content)
    expect(vendor.calls).toHaveLength(2)
  })

  test.each([
    ['with a long system message', {}],
    ['with tools', { tools, tool_choice: 'none' }],
  ])('reads the cache of its end user, and of nobody else: %s', async (_what, fields) => {
    const [one, other] = [await aClient(system), await aClient(system)]
    expect(await cachedOf(one, model, { ...fields, user: 'ann' })).toBe(0)
    expect(await cachedOf(one, model, { ...fields, user: 'ann' })).toBeGreaterThan(1024)
    expect(await cachedOf(one, model, { ...fields, user: 'bob' })).toBe(0)
    expect(await cachedOf(one, model, { ...fields, safety_identifier: 'ann' })).toBeGreaterThan(1024)
    expect(await cachedOf(other, model, { ...fields, user: 'ann' })).toBe(0)
    expect(await cachedOf(other, model, { ...fields, prompt_cache_key: 'shared' })).toBe(0)
  })
})

/** Gives a model to the vendor that the catalogue has none of, and waits until the edge knows it. */
async function addRowan(): Promise<void> {
  const catalogue = await theCatalogue()
  const rowan = {
    ...aChatEntry('vendor_d/quill'),
    id: 'chat.rowan',
    model: 'vendor_r/rowan',
    provider: 'vendor_r',
    fallbacks: [],
  }
  await applyCatalogue(system.context, { ...catalogue, models: [...catalogue.models, rowan] })
  const { post } = await aClient(system)
  const ask = async () => {
    const { status } = await post('/chat/completions', saying('Hi', rowan.model))
    expect(status).toBe(200)
  }
  await vi.waitFor(ask, { timeout: 5_000, interval: 200 })
}
