import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../../domain/callers/caller.ts'
import { type ErrorName, errorCatalogue, Problem } from '../../../schema/errors.ts'
import type { Call } from '../call.ts'

const names = { call: 'x-rubicon-call', time: 'x-rubicon-time', signature: 'x-rubicon-signature' } as const

/** How old a signed call may be, in milliseconds: enough for clocks that differ, little for whoever repeats it. */
const maxAgeMs = 60_000

/** The headers that carry a call to a subgraph over HTTP, signed with its body. */
export function signCall(
  call: Call,
  { secret, body, now }: { secret: string; body: string; now: number },
): Record<string, string> {
  const { refusal, ...facts } = call
  const text = Buffer.from(JSON.stringify({ ...facts, refusal: refusal?.errorName })).toString('base64url')
  const time = String(now)
  return {
    [names.call]: text,
    [names.time]: time,
    [names.signature]: signatureOf({ secret, body, time, text }).toString('base64url'),
  }
}

/** The call that signed headers carry; undefined when anything about them is not ours, or they are too old. */
export function openSignedCall(
  headers: IncomingHttpHeaders,
  { secret, body, now }: { secret: string; body: string; now: number },
): Call | undefined {
  const [text, time, signature] = [headers[names.call], headers[names.time], headers[names.signature]]
  if (typeof text !== 'string' || typeof time !== 'string' || typeof signature !== 'string') return undefined
  const expected = signatureOf({ secret, body, time, text })
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  if (!(Math.abs(now - Number(time)) <= maxAgeMs)) return undefined
  return callOf(JSON.parse(Buffer.from(text, 'base64url').toString()))
}

function signatureOf(parts: { secret: string; body: string; time: string; text: string }): Buffer {
  const digest = createHash('sha256').update(parts.body).digest('hex')
  return createHmac('sha256', parts.secret).update(`${parts.time}.${parts.text}.${digest}`).digest()
}

/** The signature vouches for the shape: it is what `signCall` wrote. */
function callOf(facts: { requestId: string; address: string; caller?: Caller; refusal?: ErrorName }): Call {
  const { requestId, address, caller, refusal } = facts
  const known = refusal !== undefined && refusal in errorCatalogue
  return { requestId, address, caller, refusal: known ? new Problem(refusal) : undefined }
}
