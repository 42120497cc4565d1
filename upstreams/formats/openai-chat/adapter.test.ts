import { expect, it } from 'vitest'
import { printed } from '../../../test/conversations/printed.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { buildRequest } from './adapter.ts'

const target = { vendor: 'vendor_a', baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-own' }
const call = aChatCall({ model: 'vendor_a/atlas' })

it.each([
  ['https://api.openai.com/v1', 'https://api.openai.com', '/v1/chat/completions'],
  ['https://proxy.example:8443', 'https://proxy.example:8443', '/chat/completions'],
])('the address: %s', (baseUrl, origin, path) =>
  expect(buildRequest(call, { ...target, baseUrl })).toMatchObject({ origin, path }),
)

it('headers carry the key as a bearer, and ask for what is read', () => {
  expect(buildRequest(call, target).headers).toEqual({
    authorization: 'Bearer sk-own',
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
  })
  const streamed = aChatCall({ model: 'vendor_a/atlas', stream: true })
  expect(buildRequest(streamed, target).headers).toMatchObject({ accept: 'text/event-stream' })
})

it("the body holds the client's own fields, unknown ones included, under the vendor's name of the model", () => {
  const sent = { ...call, request: { ...call.request, verbosity: 'low', seed: 7 } }
  expect(JSON.parse(printed(buildRequest(sent, target).body))).toEqual({
    model: 'atlas-2026-06',
    messages: [{ role: 'user', content: 'Hello' }],
    verbosity: 'low',
    seed: 7,
    max_tokens: 8192,
    prompt_cache_key: 'rb-cache-token',
  })
})
