import { AwsV4Signer } from 'aws4fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'
import { parseAuthorization, signatureOf } from './aws-signature.ts'
import { secretOf } from './bedrock.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

const body = JSON.stringify({
  model: 'anthropic.lyric-5',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hello ☀' }],
})
const plain = { 'content-type': 'application/json', 'anthropic-version': '2026-10-21' }
const accessKeyId = 'AKIASIM000000000001'

interface Options {
  accessKeyId?: string
  secretAccessKey?: string
  sessionToken?: string
  service?: string
  region?: string
  datetime?: string
  signed?: string
}

async function sendSigned(options: Options = {}) {
  const signer = new AwsV4Signer({
    url: `${simulator.url}/bedrock/anthropic/v1/messages`,
    method: 'POST',
    accessKeyId,
    secretAccessKey: secretOf(options.accessKeyId ?? accessKeyId),
    service: 'bedrock',
    region: 'eu-central-1',
    headers: plain,
    body: options.signed ?? body,
    ...options,
  })
  const { url, headers } = await signer.sign()
  return read(await fetch(url, { method: 'POST', headers, body }))
}

async function sendBearing(key: string | undefined, text = body) {
  const headers = { ...plain, ...(key && { authorization: `Bearer ${key}` }) }
  return read(
    await fetch(`${simulator.url}/bedrock/anthropic/v1/messages`, { method: 'POST', headers, body: text }),
  )
}

async function read(response: Response) {
  return {
    status: response.status,
    type: response.headers.get('x-amzn-errortype'),
    body: await response.json(),
  }
}

describe('a signature', () => {
  it('is what AWS gives as an example', () => {
    const authorization = parseAuthorization(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    )
    if (!authorization) throw new Error('not parsed')
    const request = {
      method: 'GET',
      path: '/',
      query: '',
      headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' },
      body: Buffer.alloc(0),
    }
    const signature = signatureOf(request, authorization, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY')
    expect(signature).toBe(authorization.signature)
  })

  it('of a known key pair is taken, in any region, with a session token too', async () => {
    expect(await sendSigned()).toMatchObject({
      status: 200,
      body: { type: 'message', model: 'anthropic.lyric-5' },
    })
    expect((await sendSigned({ region: 'ap-southeast-2' })).status).toBe(200)
    expect((await sendSigned({ accessKeyId: 'ASIASIM1', sessionToken: 'a/token+of==one' })).status).toBe(200)
  })

  it.each<[string, Options, string]>([
    ['with another secret', { secretAccessKey: 'wrong' }, 'InvalidSignatureException'],
    ['of another body', { signed: '{}' }, 'InvalidSignatureException'],
    ['for another service', { service: 's3' }, 'InvalidSignatureException'],
    ['of another day', { datetime: '20200101T000000Z' }, 'InvalidSignatureException'],
    ['by somebody else', { accessKeyId: 'AKIAUNKNOWN' }, 'UnrecognizedClientException'],
    ['by a temporary key alone', { accessKeyId: 'ASIASIM1' }, 'UnrecognizedClientException'],
  ])('%s is refused', async (_what, options, type) => {
    expect(await sendSigned(options)).toEqual({ status: 403, type, body: { message: expect.any(String) } })
  })

  it('of a path with signs that are percent-encoded is computed over the path encoded once more', async () => {
    const path = '/model/anthropic.claude-v1%3A0/invoke'
    const datetime = '20260131T120000Z'
    const signer = new AwsV4Signer({
      url: `https://bedrock-runtime.us-east-1.amazonaws.com${path}`,
      accessKeyId,
      secretAccessKey: 'secret',
      body: '{}',
      datetime,
      service: 'bedrock',
    })
    const { headers } = await signer.sign()
    const authorization = parseAuthorization(headers.get('authorization') ?? '')
    if (!authorization) throw new Error('not parsed')
    const host = 'bedrock-runtime.us-east-1.amazonaws.com'
    const request = {
      method: 'POST',
      path,
      query: '',
      headers: { host, 'x-amz-date': datetime },
      body: Buffer.from('{}'),
    }
    expect(signatureOf(request, authorization, 'secret')).toBe(authorization.signature)
  })
})

describe('a bearer key', () => {
  it('is taken where it is known', async () => {
    expect((await sendBearing('sim-bedrock-key')).status).toBe(200)
    expect(await sendBearing('sim-bad')).toMatchObject({ status: 403, type: 'AccessDeniedException' })
    expect(await sendBearing(undefined)).toMatchObject({
      status: 403,
      type: 'MissingAuthenticationTokenException',
    })
  })

  it("reaches models under Bedrock's names, whose failures have AWS's shape", async () => {
    expect(await sendBearing('sim-key', body.replace('anthropic.lyric', 'eu.anthropic.lyric'))).toMatchObject(
      { status: 200 },
    )
    expect(await sendBearing('sim-key', body.replace('anthropic.lyric', 'lyric'))).toMatchObject({
      status: 400,
      type: 'ValidationException',
      body: { message: 'The provided model identifier is invalid.' },
    })
    expect(await sendBearing('sim-key', body.replace('lyric-5', 'lyric-5@429'))).toMatchObject({
      status: 429,
      type: 'ThrottlingException',
    })
  })
})

describe('the newer endpoint', () => {
  it('answers, and refuses output formats of any model', async () => {
    const send = async (more: object) => {
      const response = await fetch(`${simulator.url}/bedrock/mantle/anthropic/v1/messages`, {
        method: 'POST',
        headers: { ...plain, authorization: 'Bearer sim-key' },
        body: JSON.stringify({ ...JSON.parse(body), ...more }),
      })
      return read(response)
    }
    const format = { type: 'json_schema', schema: { type: 'object', additionalProperties: false } }
    expect(await send({})).toMatchObject({ status: 200 })
    expect(await send({ output_config: { effort: 'low' } })).toMatchObject({ status: 200 })
    expect(await send({ output_config: { format } })).toMatchObject({
      status: 400,
      type: 'ValidationException',
      body: { message: expect.stringContaining('output_config.format') },
    })
  })
})
