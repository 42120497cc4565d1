import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { boundFields } from '../../domain/inference/parse-chat-request.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { parseAndCount } from '../../platform/http/parse-json.ts'
import { hasArrived, lengthOf, readArrived, readBody } from '../../platform/http/read-body.ts'
import type { DetachedTexts } from '../../platform/json/detached-texts.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { countRequest } from './count-request.ts'
import type { RequestShare } from './request-share.ts'

/** A parsed body. Its bytes are released; only the parsed values are kept. */
export interface Received {
  json: unknown
  bytes: number
  /** SHA-256 of path and body; undefined if the request has no `Idempotency-Key`. */
  fingerprint: Buffer | undefined
  /** The long images of a chat request; undefined if it has none. */
  images: DetachedTexts | undefined
}

/** Maximum size of a small body, in bytes. */
export const smallBytes = 65_536

/**
 * Size up to which a body is parsed on the event loop, in bytes: parsing takes at most about 2 ms, and a thread costs
 * more. For a larger body, an account takes turns with others.
 */
const onLoopBytes = 131_072

/** Number of values up to which a small body needs no turn. To check, translate and print them takes about 0.3 ms. */
const fewValues = 1_000

/**
 * Reads and parses the body of a request, within the limits of time and memory of its account. The request is counted
 * before the body is awaited. If a small body has arrived with its headers, the request is counted later, together with
 * its tokens, and its money is reserved in the same call. Throws BodyRefused, `overloaded`, and the errors of
 * `countRequest`.
 */
export async function receiveBody(
  edge: Edge,
  ctx: EdgeContext,
  { key, share, parse = parseBody }: { key: CachedKey; share: RequestShare; parse?: ParseBody | undefined },
): Promise<Received> {
  const { req } = ctx
  const arriving = arrivesAtOnce(req)
  const isCountedLater = arriving instanceof Promise ? await arriving : arriving
  if (!isCountedLater) await countRequest(edge, ctx, key)
  const body = hasArrived(req)
    ? readArrived(req, edge.config.bodyLimitBytes, { take: length => share.takeBytes(length) })
    : await whileWaiting(edge.load, readPaced(edge, req, share))
  const bytes = body.length // a thread that parses the body takes over its memory
  if (bytes > smallBytes) refuseUnknownModel(edge, body)
  if (bytes > onLoopBytes) await whileWaiting(edge.load, share.beginTurn())
  const before = ctx.req.headers['idempotency-key'] === undefined ? undefined : `${ctx.path}\n`
  const parsing = parse(edge, body, before)
  const { json, digest, images, values = 0 } = parsing instanceof Promise ? await parsing : parsing
  if (bytes <= onLoopBytes) {
    if (values > fewValues) await whileWaiting(edge.load, share.beginTurn())
    else if (bytes > smallBytes) await whileWaiting(edge.load, share.beginTextTurn())
  }
  return { json, bytes, fingerprint: digest, images }
}

/** Whether a small body arrives with its headers, or one turn of the event loop after them. */
function arrivesAtOnce(request: IncomingMessage): boolean | Promise<boolean> {
  const length = lengthOf(request)
  if (length === undefined || length > smallBytes) return false
  return hasArrived(request) || nextTurn().then(() => hasArrived(request))
}

/** Reads a body while it arrives, no faster than the account's allowance permits. */
function readPaced(edge: Edge, request: IncomingMessage, share: RequestShare): Promise<Buffer> {
  share.pace(request)
  const take = (bytes: number) => share.takeBytes(bytes)
  return readBody(request, edge.config.bodyLimitBytes, { graceMs: edge.limits.bodyTimeoutMs, take })
}

interface ParsedBody {
  json: unknown
  digest: Buffer | undefined
  images?: DetachedTexts | undefined
  /** Number of values; undefined if a thread has parsed the body. */
  values?: number
}

/** Parses a body. With `before`, it also returns the SHA-256 of `before` and the body. */
export type ParseBody = (edge: Edge, body: Buffer, before?: string) => ParsedBody | Promise<ParsedBody>

/**
 * Parses JSON, in a thread if it is large. With `detachFor`, the long images of a large body are detached. Throws
 * `invalid_json` and `invalid_request`.
 */
export function parseBody(
  edge: Edge,
  body: Buffer,
  before?: string,
  detachFor?: Protocol['route'],
): ParsedBody | Promise<ParsedBody> {
  if (body.length > onLoopBytes) {
    return edge.jsonThread.parse(body, { digestAfter: before, detachFor }).then(parsed => {
      boundFields(parsed.json)
      return parsed
    })
  }
  const digest = before === undefined ? undefined : createHash('sha256').update(before).update(body).digest()
  const { json, values } = parseAndCount(body)
  boundFields(json)
  return { json, digest, values }
}

/** The model, if it is the first field of a body. */
const leadingModel = /^\s*\{\s*"model"\s*:\s*"([^"\\]{1,200})"/

/** Refuses a large body before it is parsed if it begins with an unknown model. Throws `model_not_found`. */
function refuseUnknownModel({ inference }: Edge, body: Buffer): void {
  const [, model] = leadingModel.exec(body.toString('latin1', 0, 512)) ?? []
  if (model !== undefined && !inference.models.knows(model))
    throw new Problem('model_not_found', { param: 'model' })
}
