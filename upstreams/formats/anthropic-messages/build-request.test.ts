import { describe, expect, it } from 'vitest'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { buildRequest } from './build-request.ts'

const target = { vendor: 'vendor_b', baseUrl: 'https://api.anthropic.com', apiKey: 'sk-ant' }

describe('headers', () => {
  it('a recent model is spoken to in the newest version, with a bearer', async () => {
    const { headers } = await buildRequest(aChatCall({ model: 'vendor_b/lyric' }), target)
    expect(headers).toEqual({
      'anthropic-version': '2026-10-21',
      authorization: 'Bearer sk-ant',
      'session-id': 'rb-cache-token',
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    })
  })

  it('one that samples, in the version that has sampling, with its header for the key', async () => {
    const { headers } = await buildRequest(
      aChatCall({ model: 'vendor_b/lyric-classic', stream: true }),
      target,
    )
    expect(headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-ant',
      accept: 'text/event-stream',
    })
    expect(headers).not.toHaveProperty('authorization')
  })
})

describe('the address', () => {
  it.each([
    ['https://api.anthropic.com', 'https://api.anthropic.com', '/v1/messages'],
    ['https://api.anthropic.com/v1/', 'https://api.anthropic.com', '/v1/messages'],
    ['https://proxy.example:8443/anthropic', 'https://proxy.example:8443', '/anthropic/v1/messages'],
    ['https://proxy.example/anthropic/v1', 'https://proxy.example', '/anthropic/v1/messages'],
  ])('%s', async (baseUrl, origin, path) => {
    const request = await buildRequest(aChatCall({ model: 'vendor_b/lyric' }), { ...target, baseUrl })
    expect(request).toMatchObject({ origin, path })
  })
})
