import { describe, expect, it } from 'vitest'
import { parseAuthorization, signatureOf } from '../../../simulators/vendors/bedrock/check-signature.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { buildRequest } from '../../formats/anthropic-messages/build-request.ts'
import { signRequest } from './sign-request.ts'

const secret = 'wJalrXUtnFEMI/K7MDENG'
const target = {
  vendor: 'vendor_b',
  baseUrl: 'https://api.anthropic.com',
  apiKey: `AKIAIOSFODNN7EXAMPLE:${secret}`,
}

const build = (config: Record<string, unknown>, more: Partial<typeof target> = {}) =>
  buildRequest(aChatCall({ model: 'vendor_b/lyric' }), { ...target, ...more, config })

describe('the address', () => {
  it("is the region's, unless the credential has one of its own", async () => {
    expect(await build({ region: 'ap-southeast-2' })).toMatchObject({
      origin: 'https://bedrock-runtime.ap-southeast-2.amazonaws.com',
      path: '/anthropic/v1/messages',
    })
    const baseUrl = 'https://vpce.example/anthropic/v1'
    expect(await build({ region: 'ap-southeast-2' }, { baseUrl })).toMatchObject({
      origin: 'https://vpce.example',
      path: '/anthropic/v1/messages',
    })
  })
})

describe('the model', () => {
  it("has Bedrock's name, or that of an inference profile", async () => {
    expect(JSON.parse((await build({ region: 'us-east-1' })).body)).toMatchObject({
      model: 'anthropic.lyric-5',
    })
    const { body } = await build({ region: 'eu-west-1', model_prefix: 'eu.anthropic.' })
    expect(JSON.parse(body)).toMatchObject({ model: 'eu.anthropic.lyric-5', max_tokens: 8192 })
  })
})

describe('the proof', () => {
  it('is a signature over what is sent, beside the headers of every request', async () => {
    const { headers, path, body } = await build({ region: 'eu-central-1' })
    const authorization = parseAuthorization(headers.authorization ?? '')
    if (!authorization) throw new Error('not signed')
    expect(authorization).toMatchObject({ region: 'eu-central-1', service: 'bedrock' })
    const received = {
      method: 'POST',
      path,
      query: '',
      headers: { ...headers, host: 'bedrock-runtime.eu-central-1.amazonaws.com' },
      body: Buffer.from(body),
    }
    expect(signatureOf(received, authorization, secret)).toBe(authorization.signature)
    expect(headers).toMatchObject({ 'anthropic-version': '2026-10-21', 'session-id': 'rb-cache-token' })
  })

  it('is signed with the token of temporary keys, and for the service that the address names', async () => {
    const keyPair = { accessKeyId: 'ASIA1', secretAccessKey: secret, sessionToken: 'token' }
    const url = 'https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages'
    const headers = await signRequest(keyPair, {
      url,
      region: 'us-east-1',
      body: '{}',
      datetime: '20260131T120000Z',
    })
    expect(headers).toMatchObject({ 'x-amz-date': '20260131T120000Z', 'x-amz-security-token': 'token' })
    expect(headers.authorization).toContain('/20260131/us-east-1/bedrock-mantle/aws4_request')
    expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token')
  })

  it('is a bearer where there is one secret', async () => {
    const { headers } = await build({ region: 'eu-central-1' }, { apiKey: 'ABSKexample' })
    expect(headers.authorization).toBe('Bearer ABSKexample')
    expect(headers).not.toHaveProperty('x-amz-date')
  })
})
