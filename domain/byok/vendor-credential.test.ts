import { expect, test } from 'vitest'
import type { ByokProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import { readVendorCredential } from './vendor-credential.ts'

const account = { client_email: 'us@ours.iam.gserviceaccount.com', private_key: 'pem' }
const whole = { ...account, project_id: 'ours' }

const read = (
  provider: ByokProvider,
  apiKey: string | null,
  config: JsonObject,
  baseUrl: string | null = null,
) => readVendorCredential(provider, { apiKey, baseUrl, config }, { allowLoopback: false })

const us = { region: 'us-east-1' }
const temporary = { ...us, access_key_id: 'ASIA1', secret_access_key: 's', session_token: 't' }
const prefixed = { ...us, secret_access_key: 'bearer', model_prefix: 'eu.anthropic.' }
const pair = { ...us, access_key_id: 'AKIA1', secret_access_key: 's' }
const azure = { endpoint: 'https://ours.example', deployment: 'gpt' }
const beside = { client_email: 'us@example.com', private_key: 'pem' }

/** Without an expected configuration, it is as given. */
test.each<[ByokProvider, string | null, JsonObject, string, JsonObject?]>([
  ['vendor_a', 'k', {}, 'k'],
  ['vendor_a', 'k', { note: 'ours', region: 'eu' }, 'k', {}],
  ['vendor_a', null, { api_key: 'k' }, 'k', {}],
  ['vendor_a', 'k', { api_key: 'other' }, 'k', {}],
  [
    'vendor_a',
    'k',
    { ...azure, endpoint: 'https://Ours.example/', api_version: '1' },
    'k',
    { ...azure, api_version: '1' },
  ],
  [
    'vendor_a',
    null,
    { endpoint_url: 'https://ours.example', deployment_id: 'gpt', api_key: 'k' },
    'k',
    azure,
  ],
  ['vendor_b', 'k', {}, 'k'],
  ['vendor_b', 'bearer', us, 'bearer'],
  ['vendor_b', 'AKIA1:secret', us, 'AKIA1:secret'],
  ['vendor_b', null, temporary, ''],
  ['vendor_b', 'AKIA1', { ...us, secret_access_key: 's' }, 'AKIA1', pair],
  ['vendor_b', 's', { ...us, access_key_id: 'AKIA1' }, 's', pair],
  ['vendor_b', null, prefixed, ''],
  ['vendor_c', 'k', {}, 'k'],
  [
    'vendor_c',
    null,
    { region: 'eu', service_account: account },
    '',
    { region: 'eu', service_account: whole },
  ],
  [
    'vendor_c',
    null,
    { region: 'eu', service_account_json: JSON.stringify(whole) },
    '',
    { region: 'eu', service_account: whole },
  ],
  ['vendor_c', null, { region: 'eu', ...whole }, '', { region: 'eu', service_account: whole }],
  [
    'vendor_c',
    null,
    { region: 'eu', project_id: 'beside', credentials: beside },
    '',
    { region: 'eu', service_account: { ...beside, project_id: 'beside' } },
  ],
])('%s with key %j and %j', (provider, apiKey, config, expectedKey, expectedConfig = config) => {
  expect(read(provider, apiKey, config)).toEqual({ apiKey: expectedKey, config: expectedConfig })
})

test('a deployment without an endpoint is at the base URL', () => {
  expect(read('vendor_a', 'k', { deployment: 'gpt' }, 'https://ours.example').config).toEqual(azure)
})

test('a private key that is longer than any in use is refused', () => {
  const long = { ...account, private_key: 'x'.repeat(8_193) }
  expect(() => read('vendor_c', null, { region: 'eu', service_account: long })).toThrow(
    'configJson.service_account.private_key must have at most 8192 characters.',
  )
})

test('of a service account only what its tokens need is kept', () => {
  const wide = { ...whole, note: 'ours', deep: { more: 'of-it' } }
  expect(read('vendor_c', null, { region: 'eu', service_account: wide }).config).toEqual({
    region: 'eu',
    service_account: whole,
  })
})
