import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Allowed, countsTokens } from '../../domain/inference/check-key-and-rate.ts'
import { boundFields } from '../../domain/inference/parse-chat-request.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { parseJson } from '../../platform/http/parse-json.ts'
import { hasArrived, lengthOf, readArrived, readBody } from '../../platform/http/read-body.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { checkRates, isCounted } from './count-request.ts'
import { AccountShare } from './request-share.ts'

/** A body that was read. Its bytes are let go of: what they said is kept once. */
export interface Received {
  json: unknown
  bytes: number
  /** SHA-256 of path and body, where the request has an `Idempotency-Key`. */
  fingerprint: Buffer | undefined
  /** What the rates said before it was read; absent where it had arrived with the head: they are asked with its tokens. */
  allowed: Allowed | undefined
}

/**
 * Size up to which a body is small, in bytes. A small body that came together with its head is read before the rates are
 * asked, so that one question suffices. A larger body is parsed beside the event loop, and its account takes turns with
 * others.
 */
export const smallBytes = 65_536

/**
 * Serves a request with its body, within what its account may have of this process. The request counts in the windows
 * of its key even if it fails. It does not count if the account has too many requests in flight: that refusal costs
 * neither the body nor a question to Redis. Throws `allowance_exceeded`, `overloaded`, BodyRefused, and what
 * `checkKeyAndRate` and `serve` throw.
 */
export async function withBody(
  edge: Edge,
  ctx: EdgeContext,
  key: CachedKey,
  serve: (received: Received) => Promise<void>,
  { parse = parseBody }: { parse?: ParseBody } = {},
): Promise<void> {
  const share = new AccountShare(edge.accounts, key)
  ctx.state.share = share
  try {
    await serve(await receiveBody(edge, ctx, { key, share, parse }))
  } catch (error) {
    share.pace(ctx.req)
    if (!isCounted(ctx)) await checkRates(edge, ctx, key)
    throw error
  } finally {
    share.release()
  }
}

/**
 * Reads and parses the body of a request, within the limits of time and memory of its account; the rates are asked
 * before anything is waited for. Throws BodyRefused, `overloaded`, and what `checkKeyAndRate` throws.
 */
async function receiveBody(
  edge: Edge,
  ctx: EdgeContext,
  { key, share, parse }: { key: CachedKey; share: AccountShare; parse: ParseBody },
): Promise<Received> {
  const { bodyLimitBytes, bodyTimeoutMs } = edge.config
  const take = (bytes: number) => share.takeBytes(bytes)
  const length = lengthOf(ctx.req)
  const isSmall = length !== undefined && length <= smallBytes
  // For a key whose tokens are asked for too, a small body may come a turn after its head.
  if (isSmall && !hasArrived(ctx.req) && countsTokens(key)) await nextTurn()
  let allowed: Allowed | undefined
  let body: Buffer
  if (isSmall && hasArrived(ctx.req)) body = readArrived(ctx.req, bodyLimitBytes, { take })
  else {
    allowed = await checkRates(edge, ctx, key)
    share.pace(ctx.req)
    body = await whileWaiting(edge.load, readBody(ctx.req, bodyLimitBytes, { graceMs: bodyTimeoutMs, take }))
  }
  const bytes = body.length // a thread that parses the body takes its memory
  if (bytes > smallBytes) {
    refuseUnknownModel(edge, body)
    await whileWaiting(edge.load, share.beginTurn())
  }
  const before = ctx.req.headers['idempotency-key'] === undefined ? undefined : `${ctx.path}\n`
  const parsing = parse(edge, body, before)
  const { json, digest } = parsing instanceof Promise ? await parsing : parsing
  return { json, bytes, fingerprint: digest, allowed }
}

interface ParsedBody {
  json: unknown
  digest: Buffer | undefined
}

/** What a body says, and with `before` the digest of that and of the body. */
export type ParseBody = (edge: Edge, body: Buffer, before?: string) => ParsedBody | Promise<ParsedBody>

/**
 * Parses a body, beside the event loop where it is large; with `before` its digest begins with that. Throws
 * `invalid_json` and `invalid_request`.
 */
export function parseBody(edge: Edge, body: Buffer, before?: string): ParsedBody | Promise<ParsedBody> {
  if (body.length > smallBytes) return parseBeside(edge, body, before)
  const digest = before === undefined ? undefined : createHash('sha256').update(before).update(body).digest()
  const json = parseJson(body)
  boundFields(json)
  return { json, digest }
}

async function parseBeside(edge: Edge, body: Buffer, before: string | undefined): Promise<ParsedBody> {
  const parsed = await edge.jsonThread.parse(body, before)
  boundFields(parsed.json)
  return parsed
}

/** The model, where it is the first field of a body. */
const leadingModel = /^\s*\{\s*"model"\s*:\s*"([^"\\]{1,200})"/

/** Refuses a large body before it is parsed if it begins with an unknown model. Throws `model_not_found`. */
function refuseUnknownModel({ inference }: Edge, body: Buffer): void {
  const [, model] = leadingModel.exec(body.toString('latin1', 0, 512)) ?? []
  if (model !== undefined && !inference.models.knows(model))
    throw new Problem('model_not_found', { param: 'model' })
}
