import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { MediaRefused } from '../../domain/media/bound-source.ts'
import { decodeData, tooLarge } from '../../domain/media/host-input.ts'
import { discardMedia, type StoredMedia, storeMedia } from '../../domain/media/store-media.ts'
import { isRecord } from '../../platform/checks.ts'
import { BodyRefused, lengthOf, readBody } from '../../platform/http/read-body.ts'
import { readForm } from '../../platform/http/read-form.ts'
import { streamBody } from '../../platform/http/stream-body.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam, missingParam } from '../../schema/refuse-param.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { parseBody, smallBytes } from '../pipeline/receive-body.ts'
import type { RequestShare } from '../pipeline/request-share.ts'

/** A stored upload. */
export interface ReceivedUpload {
  stored: StoredMedia
  /** SHA-256 of its content; undefined if the request has no `Idempotency-Key`. */
  digest: Buffer | undefined
}

/** Content types that may be uploaded. */
const accepted = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'video/mp4'])

/** Memory of a file that is streamed to the storage, in the buffers of socket, stream and storage, in bytes. */
const streamedBytes = 262_144

/** Maximum fields of a form beside the file, which are ignored, and their size. */
const formLimits = { files: 1, fields: 8, fieldBytes: 1_024 }

/**
 * Stores the file of a request: a `data:` URL in JSON, the field `file` of a form, or the body itself.
 * Throws `body_too_large`, `invalid_request` and `missing_parameter`, which name `file`, `allowance_exceeded`,
 * BodyRefused and `unavailable`.
 */
export async function receiveUpload(
  edge: Edge,
  ctx: EdgeContext,
  { key, share }: { key: CachedKey; share: RequestShare },
): Promise<ReceivedUpload> {
  const type = ctx.req.headers['content-type'] ?? ''
  const store = (source: Readable | Buffer, bytes?: number) =>
    storeUpload(edge, ctx, { accountId: key.accountId, source, bytes })
  if (/^application\/json\s*(;|$)/i.test(type)) return store(await readJsonFile(edge, ctx, share))
  const length = lengthOf(ctx.req)
  share.takeBytes(Math.min(length ?? streamedBytes, streamedBytes))
  const delayMs = (bytes: number) => share.delayMs(bytes)
  const body = streamBody(ctx.req, { graceMs: edge.limits.bodyTimeoutMs, delayMs })
  if (!/^multipart\/form-data\s*;/i.test(type)) return store(body, length)
  let received: ReceivedUpload | undefined
  await readForm(ctx.req.headers, body, {
    limits: formLimits,
    async onFile({ field, source }) {
      if (field !== 'file') throw unknownField(field)
      received = await store(source)
    },
  }).catch(async error => {
    if (received) await discardMedia(edge.media, { accountId: key.accountId, ...received.stored })
    throw error
  })
  if (!received) throw missingParam('file')
  return received
}

/** Reads the content of `{"file": "data:…"}`. */
async function readJsonFile(edge: Edge, ctx: EdgeContext, share: RequestShare): Promise<Buffer> {
  const maxBytes = edge.config.uploadLimitBytes
  const maxBodyBytes = Math.ceil((maxBytes * 4) / 3) + 1_024
  share.pace(ctx.req)
  const body = await readBody(ctx.req, maxBodyBytes, {
    graceMs: edge.limits.bodyTimeoutMs,
    take: bytes => share.takeBytes(bytes),
  }).catch(error => {
    throw error instanceof BodyRefused && error.errorName === 'body_too_large'
      ? tooLarge('file', maxBytes)
      : error
  })
  if (body.length > smallBytes) await share.beginTurn()
  const { json } = await parseBody(edge, body)
  if (!isRecord(json)) throw new Problem('invalid_request', { message: 'The body must be a JSON object.' })
  const { file, ...others } = json
  for (const name of Object.keys(others)) throw unknownField(name)
  if (file === undefined) throw missingParam('file')
  if (typeof file !== 'string') throw invalidParam('file', 'must be data:TYPE;base64,CONTENT')
  return decodeData(file, { param: 'file', maxBytes }).bytes
}

async function storeUpload(
  { media, config }: Edge,
  ctx: EdgeContext,
  { accountId, source, bytes }: { accountId: string; source: Readable | Buffer; bytes: number | undefined },
): Promise<ReceivedUpload> {
  const maxBytes = config.uploadLimitBytes
  const hash = ctx.get('idempotency-key') === '' ? undefined : createHash('sha256')
  const read = hash && !Buffer.isBuffer(source) ? hashing(source, hash) : source
  if (Buffer.isBuffer(source)) hash?.update(source)
  try {
    const stored = await storeMedia(media, {
      accountId,
      kind: 'upload',
      source: read,
      maxBytes,
      bytes,
      accepts: type => accepted.has(type),
      requestId: ctx.state.record.requestId,
    })
    return { stored, digest: hash?.digest() }
  } catch (error) {
    if (!(error instanceof MediaRefused)) throw error
    if (error.reason === 'too_large') throw tooLarge('file', maxBytes)
    const rule = error.reason === 'not_media' ? 'must be a PNG, JPEG, WebP, GIF or MP4' : error.message
    throw invalidParam('file', rule)
  }
}

/** Returns a stream of the same bytes, which hashes them. */
function hashing(source: Readable, hash: { update(chunk: Buffer): unknown }): Readable {
  const through = new Transform({
    transform(chunk: Buffer, _, next) {
      hash.update(chunk)
      next(null, chunk)
    },
  })
  pipeline(source, through).catch(() => {}) // the reader gets the error
  return through
}

function unknownField(name: string): Problem {
  const param = name.slice(0, 100)
  return new Problem('unsupported_parameter', {
    param,
    message: `An upload has the field file, not ${param}.`,
  })
}
