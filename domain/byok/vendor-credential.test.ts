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

test.each<[ByokProvider, string | null, JsonObject, string, JsonObject]>([
  ['vendor_a', 'k', {}, 'k', {}],
  ['vendor_a', 'k', { note: 'ours', region: 'eu' }, 'k', {}],
  ['vendor_a', null, { api_key: 'k' }, 'k', {}],
  ['vendor_a', 'k', { api_key: 'other' }, 'k', {}],
  [
    'vendor_a',
    'k',
    { endpoint: 'https://Ours.example/', deployment: 'gpt', api_version: '2024-10-21' },
    'k',
    { endpoint: 'https://ours.example', deployment: 'gpt', api_version: '2024-10-21' },
  ],
  [
    'vendor_a',
    null,
    { endpoint_url: 'https://ours.example', deployment_id: 'gpt', api_key: 'k' },
    'k',
    { endpoint: 'https://ours.example', deployment: 'gpt' },
  ],
  ['vendor_b', 'k', {}, 'k', {}],
  ['vendor_b', 'bearer', { region: 'us-east-1' }, 'bearer', { region: 'us-east-1' }],
  ['vendor_b', 'AKIA1:secret', { region: 'us-east-1' }, 'AKIA1:secret', { region: 'us-east-1' }],
  [
    'vendor_b',
    null,
    { region: 'us-east-1', access_key_id: 'ASIA1', secret_access_key: 's', session_token: 't' },
    '',
    { region: 'us-east-1', access_key_id: 'ASIA1', secret_access_key: 's', session_token: 't' },
  ],
  [
    'vendor_b',
    'AKIA1',
    { region: 'us-east-1', secret_access_key: 's' },
    'AKIA1',
    { region: 'us-east-1', access_key_id: 'AKIA1', secret_access_key: 's' },
  ],
  [
    'vendor_b',
    's',
    { region: 'us-east-1', access_key_id: 'AKIA1' },
    's',
    { region: 'us-east-1', access_key_id: 'AKIA1', secret_access_key: 's' },
  ],
  [
    'vendor_b',
    null,
    { region: 'us-east-1', secret_access_key: 'bearer', model_prefix: 'eu.anthropic.' },
    '',
    { region: 'us-east-1', secret_access_key: 'bearer', model_prefix: 'eu.anthropic.' },
  ],
  ['vendor_c', 'k', {}, 'k', {}],
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
    { region: 'eu', project_id: 'beside', credentials: { ...account, client_email: 'us@example.com' } },
    '',
    {
      region: 'eu',
      service_account: { client_email: 'us@example.com', private_key: 'pem', project_id: 'beside' },
    },
  ],
])('%s with key %j and %j', (provider, apiKey, config, expectedKey, expectedConfig) => {
  expect(read(provider, apiKey, config)).toEqual({ apiKey: expectedKey, config: expectedConfig })
})

test('a deployment without an endpoint is at the base URL', () => {
  expect(read('vendor_a', 'k', { deployment: 'gpt' }, 'https://ours.example').config).toEqual({
    endpoint: 'https://ours.example',
    deployment: 'gpt',
  })
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
