import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConfig } from '../../platform/config/read-config.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { cacheToken, hmacOfCacheParts } from './cache-token.ts'

const { keyPepper } = readConfig({})
const tokenOf = (parts: string) => hmacOfCacheParts(keyPepper, parts)
const { models } = await theCatalogue()
const chat = models.filter(entry => entry.modality === 'chat')
const keyed = chat.find(entry => entry.chat.cache_isolation === 'prompt_cache_key')!
const salted = chat.find(entry => entry.chat.cache_isolation === 'salt')!

/** Characters that JSON can carry, including lone surrogates, which UTF-8 cannot represent. */
const odd = fc.constantFrom('a', '"', ',', '\\', '|', '\0', '\ud800', '\ud801', '\udc00', '\ufffd')
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), {
  weight: 3,
  arbitrary: fc.string({ unit: odd, maxLength: 2 }),
})
const who = fc.record({
  accountId: fc.constantFrom('01a1ffb2-0000-7000-8000-000000000001', '01a1ffb2-0000-7000-8000-000000000002'),
  user: fc.option(text, { nil: undefined }),
  prompt_cache_key: fc.option(text, { nil: undefined }),
})
type Who = { accountId: string; user: string | undefined; prompt_cache_key: string | undefined }
const tokenFor = ({ accountId, ...fields }: Who, entry = keyed) =>
  cacheToken({ tokenOf }, { accountId, entry, request: { model: entry.model, messages: [], ...fields } })

test('two accounts, two end users or two keys never get the same token; the same always do', () => {
  const parts = ['accountId', 'user', 'prompt_cache_key'] as const
  fc.assert(
    fc.property(who, who, fc.subarray([...parts]), (one, drawn, changed) => {
      const other = { ...one, ...Object.fromEntries(changed.map(part => [part, drawn[part]])) }
      const isSame = parts.every(part => (one[part] ?? '') === (other[part] ?? ''))
      expect(tokenFor(one) === tokenFor(other)).toBe(isSame)
      expect(tokenFor(one)).toBe(tokenFor({ ...one }))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['\ud800', '\ud801'],
  ['\ud800', '\ufffd'],
  ['a","b', 'a'],
  ['\0', ''],
])('end users %j and %j of one account have different tokens', (one, other) => {
  const token = (user: string, narrowing?: string) =>
    tokenFor({ accountId: 'account', user, prompt_cache_key: narrowing })
  expect(token(one)).not.toBe(token(other))
  expect(token('same', one)).not.toBe(token('same', other))
})

test("prompt_cache_key is ignored where the vendor is kept apart otherwise, and a client's key is never the token", () => {
  fc.assert(
    fc.property(who, one => {
      expect(tokenFor(one, salted)).toBe(tokenFor({ ...one, prompt_cache_key: undefined }, salted))
      expect(tokenFor(one)).not.toBe(one.prompt_cache_key)
    }),
  )
})
