import { expect, test } from 'vitest'
import { aCredentialsFile } from '../../test/harness/a-context.ts'
import { readConfig } from './read-config.ts'

const settingsOf = (contents: unknown, env: Record<string, string> = {}) =>
  readConfig({ VENDOR_CREDENTIALS_FILE: aCredentialsFile(contents), ...env }).vendors

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
  [{ vendor_z: [entry] }, 'the file must NOT have additional properties'],
  [{ vendor_a: [] }, 'vendor_a must NOT have fewer than 1 items'],
  [{ vendor_a: [entry, { ...entry, weight: 0 }] }, 'vendor_a/1/weight must be >= 1'],
  [{ vendor_a: [entry, entry] }, 'vendor_a/1/name repeats the name main'],
  [{ vendor_a: [{ name: 'main' }] }, 'vendor_a/0 needs api_key or config'],
  [{ vendor_a: [{ ...entry, key: 'sk-secret' }] }, 'vendor_a/0 must NOT have additional properties'],
])('an invalid file is refused by the place of its fault, without its secrets: %j', (contents, fault) => {
  expect(() => settingsOf(contents)).toThrow(`VENDOR_CREDENTIALS_FILE: ${fault}`)
  expect(() => settingsOf(contents)).not.toThrow(/sk-secret/)
})

test('a file that cannot be read, and a vendor with both a file and a variable, are refused', () => {
  expect(() => readConfig({ VENDOR_CREDENTIALS_FILE: '/nowhere/at/all' })).toThrow('it cannot be read')
  expect(() => settingsOf({ vendor_a: [entry] }, { VENDOR_A_API_KEY: 'sk-other' })).toThrow(
    'VENDOR_A_API_KEY must be unset',
  )
})
