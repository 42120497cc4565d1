import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../../domain/callers/caller.ts'
import { type ErrorName, errorCatalogue, Problem } from '../../../schema/errors.ts'
import type { Call } from '../call.ts'

const names = { call: 'x-rubicon-call', time: 'x-rubicon-time', signature: 'x-rubicon-signature' } as const

/** How old a signed call may be, in milliseconds: enough for clocks that differ, little for whoever repeats it. */
export const maxAgeMs = 60_000

/** What a signed call is for: the body that it comes with, at one subgraph. */
interface Signing {
  secret: string
  /** Name of the subgraph: what is signed for one says nothing to another. */
  subgraph: string
  body: string
  /** Milliseconds since 1970. */
  now: number
}

/** The headers that carry a call to a subgraph over HTTP, signed with its body; they are good once. */
export function signCall(call: Call, { secret, subgraph, body, now }: Signing): Record<string, string> {
  const { refusal, ...facts } = call
  const once = randomBytes(16).toString('base64url')
  const stated = { ...facts, refusal: refusal?.errorName, subgraph, once }
  const text = Buffer.from(JSON.stringify(stated)).toString('base64url')
  const time = String(now)
  return {
    [names.call]: text,
    [names.time]: time,
    [names.signature]: signatureOf({ secret, body, time, text }).toString('base64url'),
  }
}

/** A call that a gateway signed. */
export interface SignedCall {
  call: Call
  /** Different for each: whoever has seen it before refuses it. */
  once: string
}

/** The call that signed headers carry; undefined when anything about them is not ours, or they are too old. */
export function openSignedCall(
  headers: IncomingHttpHeaders,
  { secret, subgraph, body, now }: Signing,
): SignedCall | undefined {
  const [text, time, signature] = [headers[names.call], headers[names.time], headers[names.signature]]
  if (typeof text !== 'string' || typeof time !== 'string' || typeof signature !== 'string') return undefined
  const expected = signatureOf({ secret, body, time, text })
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  if (!(Math.abs(now - Number(time)) <= maxAgeMs)) return undefined
  const stated: Stated = JSON.parse(Buffer.from(text, 'base64url').toString())
  return stated.subgraph === subgraph ? { call: callOf(stated), once: stated.once } : undefined
}

function signatureOf(parts: { secret: string; body: string; time: string; text: string }): Buffer {
  const digest = createHash('sha256').update(parts.body).digest('hex')
  return createHmac('sha256', parts.secret).update(`${parts.time}.${parts.text}.${digest}`).digest()
}

/** The signature vouches for the shape: it is what `signCall` wrote. */
interface Stated {
  requestId: string
  address: string
  caller?: Caller
  refusal?: ErrorName
  subgraph: string
  once: string
}

function callOf({ requestId, address, caller, refusal }: Stated): Call {
  const known = refusal !== undefined && Object.hasOwn(errorCatalogue, refusal)
  return { requestId, address, caller, refusal: known ? new Problem(refusal) : undefined }
}
