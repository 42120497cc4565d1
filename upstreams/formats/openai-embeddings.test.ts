import { expect, test } from 'vitest'
import { aChatCall, noServices } from '../../test/harness/a-chat-call.ts'
import { openaiEmbeddings } from './openai-embeddings.ts'

const target = { vendor: 'vendor_d', baseUrl: 'https://vendor.example/v1', apiKey: 'key' }

/** The request for embeddings of a model with this isolation of prompt caches. */
async function requestWith(cache_isolation: 'prompt_cache_key' | 'salt', changes = {}) {
  const call = aChatCall({ model: 'vendor_a/atlas' })
  const entry = { ...call.entry, chat: { ...call.entry.chat, cache_isolation } }
  const request = { ...call.request, input: 'Hi' }
  return openaiEmbeddings.buildRequest({ ...call, entry, request }, { ...target, ...changes }, noServices)
}

test('salted vendors get no user, which some of them refuse', async () => {
  expect((await requestWith('prompt_cache_key')).body).toMatchObject({ input: 'Hi', user: 'rb-cache-token' })
  expect((await requestWith('salt')).body).toMatchObject({ input: 'Hi', user: undefined })
})

test("the key is in the vendor's header", async () => {
  expect((await requestWith('salt')).headers).toMatchObject({ authorization: 'Bearer key' })
  const { headers } = await requestWith('salt', { key: { header: 'Api-Key', scheme: '' } })
  expect(headers).toMatchObject({ 'api-key': 'key' })
  expect(headers).not.toHaveProperty('authorization')
})
