import { describe, expect, it } from 'vitest'
import { readCredential } from './read-credential.ts'

const region = 'eu-central-1'

function read(apiKey: string, config: Record<string, unknown> = {}) {
  return readCredential({
    vendor: 'vendor_b',
    baseUrl: 'https://api.anthropic.com',
    apiKey,
    config: { region, ...config },
  })
}

const pair = (accessKeyId: string, secretAccessKey: string, sessionToken?: string) => ({
  region,
  keyPair: { accessKeyId, secretAccessKey, sessionToken },
})

describe('a pair of keys', () => {
  it('stands in the API key', () => {
    expect(read('AKIAIOSFODNN7EXAMPLE:wJalr/K7+MDENG')).toEqual(
      pair('AKIAIOSFODNN7EXAMPLE', 'wJalr/K7+MDENG'),
    )
    expect(read('ASIAIOSFODNN7EXAMPLE:secret:a/token==')).toEqual(
      pair('ASIAIOSFODNN7EXAMPLE', 'secret', 'a/token=='),
    )
  })

  it('or in the config, its secret also in the API key', () => {
    const config = { access_key_id: 'AKIA1', secret_access_key: 'secret', session_token: 'token' }
    expect(read('', config)).toEqual(pair('AKIA1', 'secret', 'token'))
    expect(read('secret', { access_key_id: 'AKIA1' })).toEqual(pair('AKIA1', 'secret'))
  })
})

describe('one secret', () => {
  it('is a Bedrock API key, wherever it stands', () => {
    const bearer = { region, bearer: 'ABSKexample' }
    expect(read('ABSKexample')).toEqual(bearer)
    expect(read('', { api_key: 'ABSKexample' })).toEqual(bearer)
    expect(read('', { secret_access_key: 'ABSKexample' })).toEqual(bearer)
  })
})

describe('what cannot be used', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['no secret at all', '', {}],
    ['a key id alone', '', { access_key_id: 'AKIA1' }],
    ['a region that is none', 'key', { region: 'example.com/#' }],
    ['a region that is no text', 'key', { region: 5 }],
  ])('%s', (_what, apiKey, config) => {
    expect(() => read(apiKey, config)).toThrow(expect.objectContaining({ kind: 'auth' }))
  })
})
