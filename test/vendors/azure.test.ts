import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { openUpstreams } from '../../upstreams/call/open-upstreams.ts'
import { aChatEntry } from '../harness/a-chat-call.ts'
import { aConfig } from '../harness/a-context.ts'
import { callVendor, theVendors } from './call-a-vendor.ts'

const vendors = theVendors()

const atlas = 'vendor_a/atlas'

/** A credential of the customer's own for a deployment. */
function aDeployment(config: Record<string, unknown>, apiKey = 'sim-azure-key') {
  return {
    vendor: 'vendor_a',
    baseUrl: 'https://api.openai.com/v1',
    apiKey,
    byokId: 'own',
    config: { endpoint: `${vendors.simulator.url}/azure`, deployment: 'gpt-deployed', ...config },
  }
}

function call(request: Partial<ChatRequest>, config: Record<string, unknown>, apiKey?: string) {
  return vendors.call(aDeployment(config, apiKey), { model: atlas, ...request })
}

describe.each([
  ['the v1 surface', {}, '/azure/openai/v1/chat/completions'],
  [
    'the v1 surface, named',
    { api_version: 'preview' },
    '/azure/openai/v1/chat/completions?api-version=preview',
  ],
  [
    'the dated surface',
    { api_version: '2025-04-01-preview' },
    '/azure/openai/deployments/gpt-deployed/chat/completions?api-version=2025-04-01-preview',
  ],
])('a deployment on %s', (_where, config, path) => {
  test('answers, without what its filter found', async () => {
    const { completion, text, usage } = await call({}, config)
    expect(completion).toMatchObject({ model: atlas, choices: [{ finish_reason: 'stop' }] })
    expect(text).toContain('gpt-deployed read "Hello"')
    expect(JSON.stringify(completion)).not.toContain('filter')
    expect(usage?.promptTokens).toBeGreaterThan(0)
    expect(vendors.simulator.calls.map(received => received.path)).toEqual([path])
    expect(vendors.simulator.calls[0]?.headers).toMatchObject({ 'api-key': 'sim-azure-key' })
    expect(vendors.simulator.calls[0]?.headers).not.toHaveProperty('authorization')
  })

  test('streams, and every chunk is one that a client can read', async () => {
    const { chunks, text, usage } = await call({ stream: true }, config)
    expect(chunks.every(chunk => chunk.id !== '' && chunk.model === atlas)).toBe(true)
    expect(chunks.flatMap(chunk => chunk.choices).every(choice => choice.delta)).toBe(true)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(text).toContain('read "Hello"')
    expect(JSON.stringify(chunks)).not.toContain('filter')
    expect(usage?.completionTokens).toBeGreaterThan(0)
  })
})

describe('an endpoint', () => {
  test('may be written with its path or without', async () => {
    for (const endpoint of ['/azure/', '/azure/openai', '/azure/openai/v1/']) {
      const { completion } = await call({}, { endpoint: vendors.simulator.url + endpoint })
      expect(completion?.choices).toHaveLength(1)
    }
  })

  test('names the model as the vendor does, where no deployment is given', async () => {
    const { text } = await call({}, { deployment: undefined })
    expect(text).toContain(`${aChatEntry(atlas).upstream.model} read`)
  })

  test('that is not public is not reached', async () => {
    const closed = openUpstreams(aConfig({ ALLOW_LOOPBACK: 'false' }))
    await expect(callVendor(closed, aDeployment({}), { model: atlas })).rejects.toMatchObject({
      kind: 'broken',
      message: expect.stringContaining('public'),
    })
    expect(vendors.simulator.calls).toEqual([])
    await closed.close()
  })
})
