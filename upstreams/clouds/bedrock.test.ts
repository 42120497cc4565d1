import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { wholeChunk } from '../../schema/wire/text-chunk.ts'
import { parseAuthorization, signatureOf } from '../../simulators/vendors/hosts/aws-signature.ts'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { printed } from '../../test/conversations/printed.ts'
import { aChatCall, noServices } from '../../test/harness/a-chat-call.ts'
import { aRefusal } from '../../test/harness/a-refusal.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { anthropicMessages } from '../formats/anthropic-messages/adapter.ts'
import { openSseReader } from '../http/sse-reader.ts'
import type { Target } from '../targets.ts'
import { onBedrock, readBedrockCredential, signRequest } from './bedrock.ts'

const adapter = onBedrock(anthropicMessages)

const secret = 'wJalrXUtnFEMI/K7MDENG'
const target = {
  vendor: 'vendor_b',
  baseUrl: 'https://api.anthropic.com',
  apiKey: `AKIAIOSFODNN7EXAMPLE:${secret}`,
}

const build = (config: Record<string, unknown>, more: Partial<typeof target> = {}) =>
  adapter.buildRequest(aChatCall({ model: 'vendor_b/lyric' }), { ...target, ...more, config }, noServices)

it("the address is the region's, unless the credential has one of its own", async () => {
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

it("the model has Bedrock's name, or that of an inference profile", async () => {
  expect(JSON.parse(printed((await build({ region: 'us-east-1' })).body))).toMatchObject({
    model: 'anthropic.lyric-5',
  })
  const { body } = await build({ region: 'eu-west-1', model_prefix: 'eu.anthropic.' })
  expect(JSON.parse(printed(body))).toMatchObject({ model: 'eu.anthropic.lyric-5', max_tokens: 8192 })
})

describe('the proof', () => {
  it('is a signature over what is sent, beside the headers of every request', async () => {
    const { headers, path, body } = await build({ region: 'eu-central-1' })
    const authorization = parseAuthorization(headers.authorization ?? '')
    expect(authorization).toMatchObject({ region: 'eu-central-1', service: 'bedrock' })
    const received = {
      method: 'POST',
      url: `https://bedrock-runtime.eu-central-1.amazonaws.com${path}`,
      headers,
      body: Uint8Array.from(Buffer.from(printed(body))),
    }
    expect(await signatureOf(received, authorization, secret)).toBe(authorization.signature)
    expect(headers).toMatchObject({ 'anthropic-version': '2026-10-21', 'session-id': 'rb-cache-token' })
  })

  it('is signed with the token of temporary keys, and for the service that the address names', async () => {
    const keyPair = { accessKeyId: 'ASIA1', secretAccessKey: secret, sessionToken: 'token' }
    const url = 'https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages'
    const request = { url, region: 'us-east-1', body: '{}', datetime: '20260131T120000Z' }
    const headers = await signRequest(keyPair, request)
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

const region = 'eu-central-1'

function readCredential(apiKey: string, config: Record<string, unknown> = {}) {
  return readBedrockCredential({ ...target, apiKey, config: { region, ...config } })
}

const aPair = (accessKeyId: string, secretAccessKey: string, sessionToken?: string) => ({
  region,
  keyPair: { accessKeyId, secretAccessKey, sessionToken },
})

describe('a pair of keys', () => {
  it('stands in the API key', () => {
    expect(readCredential('AKIAIOSFODNN7EXAMPLE:wJalr/K7+MDENG')).toEqual(
      aPair('AKIAIOSFODNN7EXAMPLE', 'wJalr/K7+MDENG'),
    )
    expect(readCredential('ASIAIOSFODNN7EXAMPLE:secret:a/token==')).toEqual(
      aPair('ASIAIOSFODNN7EXAMPLE', 'secret', 'a/token=='),
    )
  })

  it('or in the config, its secret also in the API key', () => {
    const config = { access_key_id: 'AKIA1', secret_access_key: 'secret', session_token: 'token' }
    expect(readCredential('', config)).toEqual(aPair('AKIA1', 'secret', 'token'))
    expect(readCredential('secret', { access_key_id: 'AKIA1' })).toEqual(aPair('AKIA1', 'secret'))
  })
})

it('one secret is a Bedrock API key, wherever it stands', () => {
  const bearer = { region, bearer: 'ABSKexample' }
  expect(readCredential('ABSKexample')).toEqual(bearer)
  expect(readCredential('', { api_key: 'ABSKexample' })).toEqual(bearer)
  expect(readCredential('', { secret_access_key: 'ABSKexample' })).toEqual(bearer)
})

it.each<[string, string, Record<string, unknown>]>([
  ['no secret at all', '', {}],
  ['a key id alone', '', { access_key_id: 'AKIA1' }],
  ['a region that is none', 'key', { region: 'example.com/#' }],
  ['a region that is no text', 'key', { region: 5 }],
])('what cannot be used: %s', (_what, apiKey, config) => {
  expect(() => readCredential(apiKey, config)).toThrow(expect.objectContaining({ kind: 'auth' }))
})

const simulator = perFile(startSimulator)

const mantle = {
  vendor: 'vendor_b',
  baseUrl: 'https://bedrock-mantle.us-east-1.api.aws/anthropic',
  apiKey: 'sim-bedrock-key',
  config: { region: 'us-east-1' },
}
const runtime = { ...mantle, baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic' }
const properties = { city: { type: 'string' }, days: { type: 'integer' } }
const schema = { type: 'object', properties, required: ['city', 'days'], additionalProperties: false }
const response_format = { type: 'json_schema', json_schema: { name: 'trip', schema } }
const tools = [{ type: 'function', function: { name: 'now' } }]

const aCall = (fields: Partial<ChatRequest>) => aChatCall({ model: 'vendor_b/lyric', ...fields })

const buildFor = (fields: Partial<ChatRequest>, to: Target = mantle) =>
  adapter.buildRequest(aCall(fields), to, noServices)

/** Sends to the simulator what would go to the real address. */
async function send(fields: Partial<ChatRequest>): Promise<Response> {
  const { path, headers, body } = await buildFor(fields)
  return fetch(`${simulator.url}/bedrock/mantle${path}`, { method: 'POST', headers, body: printed(body) })
}

describe('a schema, at the endpoint of Bedrock that knows none', () => {
  it('is so without a region as well: the address suffices', async () => {
    const { body } = await buildFor({ response_format }, { ...mantle, config: undefined })
    expect(JSON.parse(printed(body))).toMatchObject({ model: 'lyric-5', tools: [{ name: 'give_answer' }] })
  })

  it('is kept, and the answer is text: whole', async () => {
    const response = await send({ response_format })
    expect(response.status).toBe(200)
    const answer = Buffer.from(await response.arrayBuffer())
    const { completion } = adapter.readAnswer(answer, aCall({ response_format }), mantle)
    const [choice] = completion.choices
    expect(choice).toMatchObject({ finish_reason: 'stop' })
    expect(choice?.message).not.toHaveProperty('tool_calls')
    const trip = { city: expect.any(String), days: expect.any(Number) }
    expect(JSON.parse(choice?.message.content ?? '')).toEqual(trip)
  })

  it('is kept, and the answer is text: streamed', async () => {
    const fields = { response_format, stream: true }
    const translator = adapter.openTranslator(aCall(fields), mantle)
    const events = openSseReader().push(Buffer.from(await (await send(fields)).arrayBuffer()))
    const chunks = [...events.flatMap(event => translator.read(event)), ...translator.end()]
    const choices = chunks.flatMap(chunk => wholeChunk(chunk).choices)
    expect(JSON.parse(choices.map(({ delta }) => delta.content ?? '').join(''))).toHaveProperty('city')
    expect(choices.every(({ delta }) => !delta.tool_calls)).toBe(true)
    expect(choices.at(-1)?.finish_reason).toBe('stop')
  })

  it('leaves no room for other tools: refused by name; a JSON object does not', async () => {
    const refusal = { problem: 'unsupported_parameter', param: 'response_format' }
    expect(await aRefusal(() => buildFor({ response_format, tools }))).toEqual(refusal)
    expect((await send({ response_format: { type: 'json_object' }, tools })).status).toBe(200)
  })

  it('goes as it is through the other endpoint', async () => {
    const { body } = await buildFor({ response_format, tools }, runtime)
    expect(JSON.parse(printed(body))).toMatchObject({ output_config: { format: { type: 'json_schema' } } })
  })
})
