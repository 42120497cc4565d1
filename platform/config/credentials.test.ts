import { expect, test } from 'vitest'
import { aSettingsFile } from '../../test/harness/a-context.ts'
import { readConfig } from './read-config.ts'

const settingsOf = (contents: unknown, env: Record<string, string> = {}) =>
  readConfig({ VENDOR_CREDENTIALS_FILE: aSettingsFile(contents), ...env }).vendors

test('a file has several credentials of a vendor; other vendors keep their variables', () => {
  const vendors = settingsOf(
    `vendor_a:
  - { name: main, api_key: sk-1, weight: 3, requests_per_minute: 500 }
  - { name: cheap, api_key: sk-2, models: ["gpt-5*"] }
`,
    { VENDOR_B_API_KEY: 'sk-b', VENDOR_A_BASE_URL: 'https://a.example' },
  )
  expect(vendors.get('vendor_a')).toMatchObject({
    baseUrl: 'https://a.example',
    credentials: [
      { name: 'main', apiKey: 'sk-1', weight: 3, requestsPerMinute: 500 },
      { name: 'cheap', apiKey: 'sk-2', weight: 1, models: ['gpt-5*'] },
    ],
  })
  expect(vendors.get('vendor_b')?.credentials).toEqual([{ name: 'default', apiKey: 'sk-b', weight: 1 }])
})

const entry = { name: 'main', api_key: 'sk-secret' }

test.each([
  ['{ not: [yaml', 'it is not valid YAML'],
  ['- sk-secret', 'the file must be object'],
  [{ vendor_z: [entry] }, 'the file has the unknown key vendor_z'],
  [{ vendor_a: [] }, 'vendor_a must NOT have fewer than 1 items'],
  [{ vendor_a: [entry, { ...entry, weight: 0 }] }, 'vendor_a/1/weight must be >= 1'],
  [{ vendor_a: [entry, entry] }, 'vendor_a/1/name repeats the name main'],
  [{ vendor_a: [{ name: 'main' }] }, 'vendor_a/0 needs api_key, or a config with secrets'],
  [{ vendor_a: [{ ...entry, key: 'sk-secret' }] }, 'vendor_a/0 has the unknown key key'],
  [{ vendor_a: [{ name: 'main', api_key: 'sk-secret\nx: y' }] }, 'vendor_a/0/api_key must match pattern'],
  [{ vendor_a: [{ ...entry, models: [] }] }, 'vendor_a/0/models must NOT have fewer than 1 items'],
])('an invalid file is refused by the place of its fault, without its secrets: %j', (contents, fault) => {
  expect(() => settingsOf(contents)).toThrow(`VENDOR_CREDENTIALS_FILE: ${fault}`)
  expect(() => settingsOf(contents)).not.toThrow(/sk-secret/)
})

const endpoint = 'https://us.openai.azure.com'
const pair = { access_key_id: 'AKIA1', secret_access_key: 'sk-secret' }
const account = { project_id: 'p', client_email: 'a@b', private_key: 'sk-secret' }

test.each([
  { endpoint, deployment: 'gpt-5', api_version: '2024-10-21' },
  { region: 'eu-central-1', model_prefix: 'eu.anthropic.', ...pair },
  { region: 'eu-central-1' },
  { region: 'europe-west4', service_account: { ...account, type: 'service_account' } },
])('the settings of a cloud are kept: %j', config => {
  expect(settingsOf({ vendor_a: [{ ...entry, config }] }).get('vendor_a')?.credentials[0]).toMatchObject({
    config,
  })
})

test.each([
  [{}, 'config must NOT have fewer than 1 properties'],
  [{ endpont: endpoint }, 'config has the unknown key endpont'],
  [{ endpoint: 'us.openai.azure.com' }, 'config/endpoint must match pattern'],
  [{ endpoint, region: 'eu-central-1' }, 'config has both endpoint and region'],
  [{ deployment: 'gpt-5' }, 'config must have property endpoint when property deployment is present'],
  [{ region: 'EU/central' }, 'config/region must match pattern'],
  [pair, 'config must have properties region, secret_access_key when'],
  [
    { region: 'eu-central-1', access_key_id: 'AKIA1' },
    'config must have properties region, secret_access_key when property access_key_id is present',
  ],
  [{ region: 'europe-west4', service_account: 'sk-secret' }, 'config/service_account must be object'],
  [{ service_account: account }, 'config must have property region when property service_account is present'],
])('wrong settings of a cloud are refused, without their secrets: %j', (config, fault) => {
  const settings = () => settingsOf({ vendor_a: [{ name: 'main', api_key: 'sk-secret', config }] })
  expect(settings).toThrow(`VENDOR_CREDENTIALS_FILE: vendor_a/0/${fault}`)
  expect(settings).not.toThrow(/sk-secret/)
})

test('a file that cannot be read, and a vendor with both a file and a variable, are refused', () => {
  expect(() => readConfig({ VENDOR_CREDENTIALS_FILE: '/nowhere/at/all' })).toThrow('it cannot be read')
  expect(() => settingsOf({ vendor_a: [entry] }, { VENDOR_A_API_KEY: 'sk-other' })).toThrow(
    'VENDOR_A_API_KEY must be unset',
  )
})
