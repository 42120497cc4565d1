import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { openUpstreams } from '../../upstreams/call/open-upstreams.ts'
import { aChatEntry } from '../harness/a-chat-call.ts'
import { aConfig } from '../harness/a-context.ts'
import { perFile } from '../harness/per-file.ts'
import { callVendor, theVendors } from './call-a-vendor.ts'

const vendors = theVendors()

const account = perFile(async () =>
  JSON.parse(await (await fetch(`${vendors.simulator.url}/vertex/service-account.json`)).text()),
)

/** A credential of the customer's own. */
interface Credential {
  path: string
  id: string
  apiKey?: string
  config?: Record<string, unknown>
}

function callWith(request: Partial<ChatRequest>, { path, id, apiKey = '', config = {} }: Credential) {
  const baseUrl = `${vendors.simulator.url}${path}`
  const target = { vendor: 'vendor_c', baseUrl, apiKey, byokId: id, config }
  return vendors.call(target, { model: 'vendor_c/prism-pro', ...request })
}

function aServiceAccount(changed: object = {}): Credential {
  const service_account = { ...account, ...changed }
  return { path: '/vertex', id: 'vertex', config: { service_account, region: 'europe-west4' } }
}

test('a token that the vendor refuses before its time is had anew for the next call', async () => {
  await callWith({}, aServiceAccount())
  vendors.simulator.reset()
  await expect(callWith({}, aServiceAccount())).rejects.toMatchObject({ kind: 'auth' })
  expect((await callWith({}, aServiceAccount())).text).toContain('read "Hello"')
})

test('a call that one credential made is answered through another: its signature stays behind', async () => {
  const tools = [{ type: 'function', function: { name: 'now' } }]
  const question = { role: 'user' as const, content: 'Time?' }
  const ways: Credential[] = [
    { path: '/gemini', apiKey: 'sim-one', id: 'one' },
    { path: '/gemini', apiKey: 'sim-two', id: 'two' },
    { ...aServiceAccount(), id: 'three' },
  ]
  for (const from of ways) {
    const { completion } = await callWith({ messages: [question], tools }, from)
    const [made] = completion?.choices[0]?.message.tool_calls ?? []
    const result = { role: 'tool' as const, tool_call_id: made!.id, content: 'noon' }
    const messages = [question, { role: 'assistant' as const, content: null, tool_calls: [made!] }, result]
    for (const to of ways) {
      expect((await callWith({ messages, tools }, to)).text).toContain('noon')
      const sent = JSON.stringify(vendors.simulator.calls.at(-1)?.body)
      expect(sent.includes('skip_thought_signature_validator')).toBe(from !== to)
    }
  }
})

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

function callAzure(request: Partial<ChatRequest>, config: Record<string, unknown>, apiKey?: string) {
  return vendors.call(aDeployment(config, apiKey), { model: atlas, ...request })
}

test.each([
  ['the v1 surface', {}, '/openai/v1/chat/completions'],
  ['the v1 surface, named', { api_version: 'preview' }, '/openai/v1/chat/completions?api-version=preview'],
  [
    'the dated surface',
    { api_version: '2025-04-01-preview' },
    '/openai/deployments/gpt-deployed/chat/completions?api-version=2025-04-01-preview',
  ],
])(
  'a deployment on %s answers whole and streamed, without what its filter found',
  async (_where, config, path) => {
    const { completion, text, usage } = await callAzure({}, config)
    expect(completion).toMatchObject({ model: atlas, choices: [{ finish_reason: 'stop' }] })
    expect(text).toContain('gpt-deployed read "Hello"')
    expect(JSON.stringify(completion)).not.toContain('filter')
    expect(usage?.promptTokens).toBeGreaterThan(0)
    expect(vendors.simulator.calls).toMatchObject([
      { path: `/azure${path}`, headers: { 'api-key': 'sim-azure-key' } },
    ])
    expect(vendors.simulator.calls[0]?.headers).not.toHaveProperty('authorization')

    const { chunks, ...streamed } = await callAzure({ stream: true }, config)
    expect(chunks.every(chunk => chunk.id !== '' && chunk.model === atlas)).toBe(true)
    expect(chunks.flatMap(chunk => chunk.choices).every(choice => choice.delta)).toBe(true)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(streamed.text).toContain('read "Hello"')
    expect(JSON.stringify(chunks)).not.toContain('filter')
    expect(streamed.usage?.completionTokens).toBeGreaterThan(0)
  },
)

describe('an endpoint', () => {
  test('may be written with its path or without', async () => {
    for (const endpoint of ['/azure/', '/azure/openai', '/azure/openai/v1/']) {
      const { completion } = await callAzure({}, { endpoint: vendors.simulator.url + endpoint })
      expect(completion?.choices).toHaveLength(1)
    }
  })

  test('names the model as the vendor does, where no deployment is given', async () => {
    const { text } = await callAzure({}, { deployment: undefined })
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
