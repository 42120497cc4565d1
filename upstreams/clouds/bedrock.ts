import { AwsV4Signer } from 'aws4fetch'
import type { ChatAdapter, ChatCall, UpstreamRequest } from '../chat-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/**
 * Whether a target is Amazon Bedrock: its credential names a region, or its address is the newer endpoint.
 */
export function isBedrock({ config, baseUrl }: Target): boolean {
  return config?.region !== undefined || isMantle(baseUrl)
}

/**
 * Serves the Messages format from Amazon Bedrock: the same body under Bedrock's name of the model, signed, or
 * with a bearer key. The region gives the address, unless the credential has its own address.
 * `buildRequest` throws UpstreamFailure `auth` if the credential is incomplete.
 */
export function onBedrock(adapter: ChatAdapter): ChatAdapter {
  return {
    ...adapter,
    async buildRequest(call, target, services) {
      const fitted = withSupportedFormat(call, target)
      if (target.config?.region === undefined) return adapter.buildRequest(fitted, target, services)
      const request = await adapter.buildRequest(withBedrockModel(fitted, target), target, services)
      return authorize(request, target)
    },
    readAnswer: (body, call, target) => adapter.readAnswer(body, withSupportedFormat(call, target), target),
    openTranslator: (call, target) => adapter.openTranslator(withSupportedFormat(call, target), target),
  }
}

/** Whether an address is Bedrock's newer endpoint, `bedrock-mantle.{region}.api.aws`. */
function isMantle(url: string): boolean {
  return /^https?:\/\/bedrock-mantle\./i.test(url)
}

/** The newer endpoint refuses `output_config.format` for every model, so a forced tool call carries the schema. */
function withSupportedFormat(call: ChatCall, { baseUrl }: Target): ChatCall {
  const { chat } = call.entry
  if (call.request.response_format?.type !== 'json_schema' || chat.json.schema !== 'native') return call
  if (!isMantle(baseUrl)) return call
  const json = { ...chat.json, schema: 'tool' as const }
  return { ...call, entry: { ...call.entry, chat: { ...chat, json } } }
}

/**
 * Returns Bedrock's name of a model. `model_prefix` selects an inference profile: `eu.anthropic.`, `global.anthropic.`.
 */
function withBedrockModel(call: ChatCall, { config }: Target): ChatCall {
  const prefix = typeof config?.model_prefix === 'string' ? config.model_prefix : 'anthropic.'
  const { upstream } = call.entry
  return {
    ...call,
    entry: { ...call.entry, upstream: { ...upstream, model: prefix + upstream.model } },
  }
}

async function authorize(request: UpstreamRequest, target: Target): Promise<UpstreamRequest> {
  const { region, keyPair, bearer } = readBedrockCredential(target)
  const { origin, path } = isVendorAddress(target.baseUrl) ? regionalAddress(region) : request
  const { authorization: _, 'x-api-key': __, ...headers } = request.headers
  const body = typeof request.body === 'string' ? request.body : JSON.stringify(request.body)
  const proof = keyPair
    ? await signRequest(keyPair, { url: origin + path, region, body })
    : { authorization: `Bearer ${bearer}` }
  return { ...request, body, origin, path, headers: { ...headers, ...proof } }
}

/** The address of the vendor itself, which does not reach Bedrock. */
function isVendorAddress(baseUrl: string): boolean {
  return new URL(baseUrl).hostname === 'api.anthropic.com'
}

function regionalAddress(region: string): Pick<UpstreamRequest, 'origin' | 'path'> {
  return { origin: `https://bedrock-runtime.${region}.amazonaws.com`, path: '/anthropic/v1/messages' }
}

/** A region, and either a key pair that signs requests or a bearer key. */
interface BedrockCredential {
  region: string
  keyPair?: KeyPair
  bearer?: string
}

interface KeyPair {
  accessKeyId: string
  secretAccessKey: string
  /** The session token of temporary credentials. */
  sessionToken?: string
}

/**
 * Reads a credential of Bedrock. The pair of keys is either in `config` (`access_key_id`, `secret_access_key`,
 * `session_token`) or in the API key, as `AKIA…:secret` or `ASIA…:secret:token`; one secret alone cannot sign, so it is
 * a Bedrock API key. Throws UpstreamFailure `auth` if neither is set, or if the region is invalid.
 */
export function readBedrockCredential({ apiKey, config = {} }: Target): BedrockCredential {
  const region = textOf(config.region)
  if (!region || !/^[a-z][a-z0-9-]{0,39}$/.test(region))
    throw refuse('the region of the credential is not valid')
  const accessKeyId = textOf(config.access_key_id)
  const secret = textOf(config.secret_access_key)
  const given = textOf(apiKey) ?? textOf(config.api_key)
  const keyPair = accessKeyId
    ? pairOf(accessKeyId, secret ?? given, textOf(config.session_token))
    : parsePair(given ?? secret)
  if (keyPair) return { region, keyPair }
  const bearer = given ?? secret
  if (!bearer || accessKeyId) throw refuse('the credential lacks its secret')
  return { region, bearer }
}

function parsePair(text: string | undefined): KeyPair | undefined {
  const [, accessKeyId, secret, sessionToken] = /^(A[KS]IA\w{8,}):([^:]+)(?::(.+))?$/.exec(text ?? '') ?? []
  return accessKeyId ? pairOf(accessKeyId, secret, sessionToken) : undefined
}

function pairOf(accessKeyId: string, secret: string | undefined, sessionToken?: string): KeyPair | undefined {
  return secret ? { accessKeyId, secretAccessKey: secret, ...(sessionToken && { sessionToken }) } : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function refuse(message: string): UpstreamFailure {
  return new UpstreamFailure('auth', { message })
}

interface UnsignedRequest {
  url: string
  region: string
  body: string
  /** The time, as `20260131T120000Z`. Defaults to now. */
  datetime?: string
}

/**
 * Returns the headers that sign a POST to Bedrock with a key pair (AWS Signature Version 4). The signature covers the
 * host, the date, the session token and the body's hash. Other headers can be added afterwards.
 */
export async function signRequest(
  keyPair: KeyPair,
  unsigned: UnsignedRequest,
): Promise<Record<string, string>> {
  const service = isMantle(unsigned.url) ? 'bedrock-mantle' : 'bedrock'
  const signer = new AwsV4Signer({ ...keyPair, ...unsigned, method: 'POST', service })
  const { headers } = await signer.sign()
  return Object.fromEntries(headers)
}
