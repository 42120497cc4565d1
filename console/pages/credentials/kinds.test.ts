import { expect, test, vi } from 'vitest'

// The language of the texts comes from the browser.
vi.stubGlobal('document', { documentElement: {} })
vi.stubGlobal('localStorage', { getItem: () => null })
const { configOf, kindOf } = await import('./kinds.ts')

const form = (values: Record<string, string>) => {
  const fields = new FormData()
  for (const [name, value] of Object.entries(values)) fields.append(`configJson.${name}`, value)
  return fields
}

test('a secret that is left empty is kept by its mask, and other settings are replaced', () => {
  const stored = { region: 'eu-central-1', access_key_id: 'AKIA1', secret_access_key: '***', extra: 'kept' }
  expect(configOf('bedrock', form({ region: 'us-east-1', secret_access_key: '' }), stored)).toEqual({
    extra: 'kept',
    region: 'us-east-1',
    secret_access_key: '***',
  })
})

test('a service account is sent as an object, and text that is no JSON as it is', () => {
  expect(configOf('vertex', form({ region: 'europe-west4', service_account: '{"a": 1}' }), {})).toEqual({
    region: 'europe-west4',
    service_account: { a: 1 },
  })
  expect(configOf('vertex', form({ service_account: '{' }), {})).toEqual({ service_account: '{' })
})

test('a credential without a configuration reaches the vendor directly', () => {
  expect(configOf('direct', form({}), {})).toBeNull()
  expect(kindOf({ provider: 'VENDOR_B', configJson: null })).toBe('direct')
  expect(kindOf({ provider: 'VENDOR_B', configJson: { region: 'eu-central-1' } })).toBe('bedrock')
})
