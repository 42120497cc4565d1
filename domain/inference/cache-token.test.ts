import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConfig } from '../../platform/config/read-config.ts'
import { readCatalogue } from '../models/read-catalogue.ts'
import { cacheToken, hmacOfCacheParts } from './cache-token.ts'

const { keyPepper } = readConfig({})
const tokenOf = (parts: string) => hmacOfCacheParts(keyPepper, parts)
const { models } = await readCatalogue(new URL('../../schema/catalog', import.meta.url).pathname)
const chat = models.filter(entry => entry.modality === 'chat')
const keyed = chat.find(entry => entry.chat.cache_isolation === 'prompt_cache_key')!
const salted = chat.find(entry => entry.chat.cache_isolation === 'salt')!

const who = fc.record({
  accountId: fc.uuid(),
  user: fc.option(fc.string(), { nil: undefined }),
  prompt_cache_key: fc.option(fc.string(), { nil: undefined }),
})
type Who = { accountId: string; user: string | undefined; prompt_cache_key: string | undefined }
const tokenFor = ({ accountId, ...fields }: Who, entry = keyed) =>
  cacheToken({ tokenOf }, { accountId, entry, request: { model: entry.model, messages: [], ...fields } })

test('two accounts, two end users or two keys never get the same token; the same always do', () => {
  fc.assert(
    fc.property(who, who, (one, other) => {
      const same =
        one.accountId === other.accountId &&
        (one.user ?? '') === (other.user ?? '') &&
        (one.prompt_cache_key ?? '') === (other.prompt_cache_key ?? '')
      expect(tokenFor(one) === tokenFor(other)).toBe(same)
      expect(tokenFor(one)).toBe(tokenFor({ ...one }))
    }),
  )
})

test("prompt_cache_key is ignored where the vendor is kept apart otherwise, and a client's key is never the token", () => {
  fc.assert(
    fc.property(who, one => {
      expect(tokenFor(one, salted)).toBe(tokenFor({ ...one, prompt_cache_key: undefined }, salted))
      expect(tokenFor(one)).not.toBe(one.prompt_cache_key)
    }),
  )
})
