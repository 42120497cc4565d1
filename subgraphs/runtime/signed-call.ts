import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../domain/callers/caller.ts'
import type { Operator } from '../../domain/callers/operators.ts'
import { errorCatalogue } from '../../schema/error-catalogue.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import type { Call } from './call.ts'

const names = { call: 'x-rubicon-call', time: 'x-rubicon-time', signature: 'x-rubicon-signature' } as const

/**
 * Maximum age of a signed call, in milliseconds: long enough for clock differences, short enough to prevent later
 * replays.
 */
export const maxAgeMs = 60_000

/** The values that are signed together with a call. */
interface Signing {
  /** `SUBGRAPH_SECRET`. The first one signs; all are accepted. */
  secrets: readonly string[]
  /** The name of the subgraph. Other subgraphs refuse the call. */
  subgraph: string
  body: string
  /** Milliseconds since 1970. */
  now: number
}

/**
 * Returns the headers that carry a call to a subgraph over HTTP, signed together with the body. They are valid once.
 */
export function signCall(call: Call, { secrets, subgraph, body, now }: Signing): Record<string, string> {
  const { refusal, ...facts } = call
  const nonce = randomBytes(16).toString('base64url')
  const claims = { ...facts, refusal: refusal?.errorName, subgraph, nonce }
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const time = String(now)
  return {
    [names.call]: text,
    [names.time]: time,
    [names.signature]: signatureOf(secrets[0] ?? '', { body, time, text }).toString('base64url'),
  }
}

/** A call that a gateway signed. */
export interface SignedCall {
  call: Call
  /** A random value. A call whose nonce was used before is refused. */
  nonce: string
}

/** Returns the call in signed headers, or `undefined` if the signature is invalid or older than `maxAgeMs`. */
export function openSignedCall(
  headers: IncomingHttpHeaders,
  { secrets, subgraph, body, now }: Signing,
): SignedCall | undefined {
  const [text, time, signature] = [headers[names.call], headers[names.time], headers[names.signature]]
  if (typeof text !== 'string' || typeof time !== 'string' || typeof signature !== 'string') return undefined
  const given = Buffer.from(signature, 'base64url')
  const isGiven = (expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected)
  if (!secrets.some(secret => isGiven(signatureOf(secret, { body, time, text })))) return undefined
  if (!(Math.abs(now - Number(time)) <= maxAgeMs)) return undefined
  const claims: CallClaims = JSON.parse(Buffer.from(text, 'base64url').toString())
  return claims.subgraph === subgraph ? { call: callOf(claims), nonce: claims.nonce } : undefined
}

function signatureOf(secret: string, parts: { body: string; time: string; text: string }): Buffer {
  const digest = createHash('sha256').update(parts.body).digest('hex')
  return createHmac('sha256', secret).update(`${parts.time}.${parts.text}.${digest}`).digest()
}

/** The content that `signCall` writes. The signature proves its origin, so its shape is not checked again. */
interface CallClaims {
  requestId: string
  address: string
  caller?: Caller
  operator?: Operator
  refusal?: ErrorName
  subgraph: string
  nonce: string
}

function callOf({ requestId, address, caller, operator, refusal }: CallClaims): Call {
  const known = refusal !== undefined && Object.hasOwn(errorCatalogue, refusal)
  return { requestId, address, caller, operator, refusal: known ? new Problem(refusal) : undefined }
}
