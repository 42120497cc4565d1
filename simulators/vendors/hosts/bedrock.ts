import { type Exchange, Refusal } from '../../server/exchange.ts'
import { isRecord } from '../../server/json.ts'
import { anthropicHost } from '../anthropic/host.ts'
import { createMessage } from '../anthropic/messages.ts'
import type { Failure } from '../faults.ts'
import { bearerOf } from '../host.ts'
import type { Handler, Simulator, VendorApi } from '../simulator.ts'
import { parseAuthorization, signatureOf } from './aws-signature.ts'

const handle = createMessage({ ...anthropicHost, authenticate, checkModel, refuseFailure })

/** The newer endpoint does not support output formats. */
const handleAtMantle: Handler = (simulator, exchange) => {
  const { json } = exchange
  const config = isRecord(json) ? json.output_config : undefined
  if (isRecord(config) && config.format != null)
    throw refuse(400, 'ValidationException', 'output_config.format: Extra inputs are not permitted')
  return handle(simulator, exchange)
}

/**
 * Anthropic's Messages API on Bedrock, for any region. The base URL is `{simulator}/bedrock/anthropic`, or
 * `{simulator}/bedrock/mantle/anthropic` for the newer endpoint.
 */
export const bedrock: VendorApi = {
  routes: {
    'POST /bedrock/anthropic/v1/messages': handle,
    'POST /bedrock/mantle/anthropic/v1/messages': handleAtMantle,
  },
  presentHeaders: ({ id }) => ({
    'x-amzn-requestid': `00000000-0000-4000-8000-${id.toString(16).padStart(12, '0')}`,
  }),
}

/** An error in AWS's format: the type in a header, the message in the body. */
function refuse(status: number, type: string, message: string): Refusal {
  return new Refusal({ status, headers: { 'x-amzn-errortype': type }, body: { message } })
}

const types: Readonly<Record<number, string>> = {
  ...{ 400: 'ValidationException', 403: 'AccessDeniedException', 404: 'ResourceNotFoundException' },
  ...{ 408: 'ModelTimeoutException', 424: 'ModelErrorException', 429: 'ThrottlingException' },
  ...{ 500: 'InternalServerException', 503: 'ServiceUnavailableException' },
}

/** Bedrock's error for a failure that is not caused by the request. */
function refuseFailure({ kind, status }: Failure): Refusal {
  if (kind === 'too-long') return refuse(400, 'ValidationException', 'Input is too long for requested model.')
  if (kind === 'quota' || status === 429)
    return refuse(429, 'ThrottlingException', 'Too many requests, please wait before trying again.')
  const type = types[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException')
  return refuse(status, type, `The request failed with status ${status}.`)
}

/** Accepts models and inference profiles: `anthropic.lyric-5`, `eu.anthropic.lyric-5`. */
function checkModel(model: string): void {
  if (!/^([a-z]+\.)?anthropic\./.test(model))
    throw refuse(400, 'ValidationException', 'The provided model identifier is invalid.')
}

/**
 * Returns the access key ID of a signed request, or the bearer key. Bearer keys start with `sim-`. Access key IDs start
 * with `AKIASIM`, or with `ASIASIM` and any session token. Their secret is `secret-of-<id>`.
 */
function authenticate(exchange: Exchange, { clock }: Simulator): string | Promise<string> {
  const bearer = bearerOf(exchange)
  if (!bearer) return checkSigner(exchange, clock.now())
  if (bearer.startsWith('sim-') && !bearer.startsWith('sim-bad')) return bearer
  throw refuse(403, 'AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.')
}

const maxSkewMs = 5 * 60 * 1000

async function checkSigner({ request, bytes, origin }: Exchange, now: number): Promise<string> {
  const { headers, method = 'POST', url } = request
  const authorization = parseAuthorization(headers.authorization ?? '')
  const { accessKeyId, region, service, date, signedHeaders, signature } = authorization
  const token = headers['x-amz-security-token']
  if (!/^A[KS]IASIM/.test(accessKeyId) || (accessKeyId.startsWith('ASIA') && !token))
    throw refuse(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.')

  const signed = { method, url: `${origin}${url}`, headers, body: Uint8Array.from(bytes) }
  const stamp = String(headers['x-amz-date'] ?? '')
  const required = ['host', 'x-amz-date', ...(token ? ['x-amz-security-token'] : [])]
  const isValid =
    service === 'bedrock' &&
    /^[a-z][a-z0-9-]{0,39}$/.test(region) &&
    stamp.startsWith(date) &&
    Math.abs(timeOf(stamp) - now) <= maxSkewMs &&
    required.every(name => signedHeaders.includes(name)) &&
    (await signatureOf(signed, authorization, `secret-of-${accessKeyId}`)) === signature
  if (isValid) return accessKeyId
  const message = 'The request signature we calculated does not match the signature you provided.'
  throw refuse(403, 'InvalidSignatureException', message)
}

/** Parses `20260131T120000Z` into Unix milliseconds. Returns NaN if it is not a date. */
function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
