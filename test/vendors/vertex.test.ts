import { expect, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { perFile } from '../harness/per-file.ts'
import { theVendors } from './call-a-vendor.ts'

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

function call(request: Partial<ChatRequest>, { path, id, apiKey = '', config = {} }: Credential) {
  const baseUrl = `${vendors.simulator.url}${path}`
  const target = { vendor: 'vendor_c', baseUrl, apiKey, byokId: id, config }
  return vendors.call(target, { model: 'vendor_c/prism-pro', ...request })
}

function aServiceAccount(changed: object = {}): Credential {
  const service_account = { ...account, ...changed }
  return { path: '/vertex', id: 'vertex', config: { service_account, region: 'europe-west4' } }
}

test('a token that the vendor refuses before its time is had anew for the next call', async () => {
  await call({}, aServiceAccount())
  vendors.simulator.reset()
  await expect(call({}, aServiceAccount())).rejects.toMatchObject({ kind: 'auth' })
  expect((await call({}, aServiceAccount())).text).toContain('read "Hello"')
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
    const { completion } = await call({ messages: [question], tools }, from)
    const [made] = completion?.choices[0]?.message.tool_calls ?? []
    const result = { role: 'tool' as const, tool_call_id: made!.id, content: 'noon' }
    const messages = [question, { role: 'assistant' as const, content: null, tool_calls: [made!] }, result]
    for (const to of ways) {
      expect((await call({ messages, tools }, to)).text).toContain('noon')
      const sent = JSON.stringify(vendors.simulator.calls.at(-1)?.body)
      expect(sent.includes('skip_thought_signature_validator')).toBe(from !== to)
    }
  }
})
