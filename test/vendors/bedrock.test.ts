import { expect, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { theVendors } from './call-a-vendor.ts'

const vendors = theVendors()

const keyId = 'AKIASIM000000001'

interface Credential {
  apiKey?: string
  config?: Record<string, unknown>
}

function call(request: Partial<ChatRequest>, { apiKey = '', config = {} }: Credential) {
  const baseUrl = `${vendors.simulator.url}/bedrock/anthropic`
  const target = { vendor: 'vendor_b', baseUrl, apiKey, config: { region: 'eu-central-1', ...config } }
  return vendors.call(target, { model: 'vendor_b/lyric', ...request })
}

test.each<[string, Credential]>([
  ['a pair of keys', { apiKey: `${keyId}:secret-of-${keyId}` }],
  [
    'a pair in the configuration',
    { config: { access_key_id: keyId, secret_access_key: `secret-of-${keyId}` } },
  ],
  ['temporary keys', { apiKey: 'ASIASIM000000001:secret-of-ASIASIM000000001:token' }],
  ['a bearer key', { apiKey: 'sim-bedrock-key' }],
  ['an inference profile', { apiKey: 'sim-bedrock-key', config: { model_prefix: 'eu.anthropic.' } }],
])('answers with %s, whole and streamed', async (_what, credential) => {
  for (const stream of [false, true]) {
    const { text, usage } = await call({ stream }, credential)
    expect(text).toMatch(/anthropic\.lyric-5 read "Hello"/)
    expect(usage?.promptTokens).toBeGreaterThan(0)
  }
})

test.each([
  ['a wrong secret', `${keyId}:wrong`, /signature we calculated does not match/],
  ['an unknown key', 'AKIAUNKNOWN0000:secret', /security token .* is invalid/],
  ['a wrong bearer', 'sim-bad', /API Key is valid/],
])('%s is a refused credential', async (_what, apiKey, message) => {
  await expect(call({}, { apiKey })).rejects.toMatchObject({ kind: 'auth', message })
})

test.each([
  ['429', { kind: 'busy' }],
  ['too-long', { kind: 'request', details: { code: 'context_length_exceeded' } }],
  ['408', { kind: 'timeout' }],
  ['424', { kind: 'broken' }],
])('trouble %s as AWS reports it has its own kind', async (fault, failure) => {
  const messages = [{ role: 'user' as const, content: `Hi [[fault: ${fault}]]` }]
  await expect(call({ messages }, { apiKey: 'sim-bedrock-key' })).rejects.toMatchObject(failure)
})
