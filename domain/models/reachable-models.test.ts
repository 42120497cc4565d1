import { expect, test } from 'vitest'
import type { Config } from '../../platform/config/read-config.ts'
import { aChatEntry } from '../../test/harness/a-chat-call.ts'
import { unreachedVendors } from './reachable-models.ts'

const credential = { name: 'default', apiKey: 'sk', weight: 1 }
const vendorOf = (label: string, base_url?: string) => ({
  ...{ label, name: label, adapter: 'openai-chat' as const },
  ...(base_url && { base_url }),
})
const vendors = [vendorOf('vendor_a', 'https://a.example'), vendorOf('vendor_f')]
const routes = [{ vendor: 'vendor_f', upstream: { model: 'atlas-on-f' } }]
const routed = { ...aChatEntry('vendor_a/atlas'), routes }

/** Returns the variables that are missing for a model with these settings of vendors. */
const missing = (settings: [string, object][], entry = routed) =>
  unreachedVendors(new Map(settings) as Config['vendors'], { models: [entry], vendors }).map(
    ({ variable }) => variable,
  )

test('a model is unreached if no vendor of its routes has a credential and an address', () => {
  expect(missing([])).toEqual(['VENDOR_A_API_KEY'])
  expect(missing([['vendor_a', { credentials: [credential] }]])).toEqual([])
  expect(missing([['vendor_f', { credentials: [credential] }]])).toEqual(['VENDOR_A_API_KEY'])
  expect(missing([['vendor_f', { credentials: [credential], baseUrl: 'https://f.example' }]])).toEqual([])
  const azure = { ...credential, config: { endpoint: 'https://f.openai.azure.com' } }
  expect(missing([['vendor_f', { credentials: [azure] }]])).toEqual([])
})
