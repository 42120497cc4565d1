import { findMedia } from '../../domain/media/find-media.ts'
import { asUnavailable, requireStorage } from '../../domain/media/media.ts'
import type { MediaRow } from '../../domain/media/media-rows.ts'
import { servedTypeOf } from '../../domain/media/sniff.ts'
import { requestedRange } from '../../platform/http/byte-range.ts'
import { sendFile } from '../../platform/http/send-file.ts'
import { type ByteRange, FileMissing } from '../../platform/storage/storage.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'

/** The policy for browsers that open a file: they can show it, but run no script, form or frame. */
const policy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

/**
 * Responds with a stored file, or the requested range of it. Throws `media_not_found`, `media_expired`,
 * `range_not_satisfiable`, and `unavailable` if the storage fails.
 */
export async function serveFile(edge: Edge, ctx: EdgeContext, name: string): Promise<void> {
  const file = await findMedia(edge.media, name)
  const etag = `"${name.slice(name.lastIndexOf('/') + 1, name.lastIndexOf('.'))}"`
  const range = requestedRange(ctx.headers, { bytes: file.bytes, etag })
  ctx.set('accept-ranges', 'bytes')
  if (range === 'none') {
    ctx.set('content-range', `bytes */${file.bytes}`)
    throw new Problem('range_not_satisfiable')
  }
  ctx.status = 200
  const headers = headersOf(file, etag)
  ctx.set('etag', etag)
  if (isKnown(ctx.get('if-none-match'), etag)) {
    ctx.set(headers)
    ctx.status = 304
    return
  }
  const source = ctx.method === 'HEAD' ? undefined : await openFile(edge, name, range)
  ctx.set(headers)
  ctx.type = servedTypeOf(file.contentType)
  if (range !== 'whole') {
    ctx.status = 206
    ctx.set('content-range', `bytes ${range.first}-${range.last}/${file.bytes}`)
  }
  const bytes = range === 'whole' ? file.bytes : range.last - range.first + 1
  ctx.length = bytes
  if (!source) return
  ctx.respond = false
  await sendFile(ctx.res, source, { bytes, stalledMs: edge.limits.stalledReaderMs })
}

/** Whether the client has the file. A file never changes, so other cache headers are ignored. */
function isKnown(known: string, etag: string): boolean {
  return known.split(',').some(each => [etag, `W/${etag}`, '*'].includes(each.trim()))
}

/** Returns the headers of a file. A file never changes under its name, so it may be cached until it expires. */
function headersOf(file: MediaRow, etag: string): Record<string, string> {
  const reach = file.kind === 'result' ? 'public' : 'private'
  return {
    etag,
    'cache-control': `${reach}, max-age=${Math.max(0, Math.floor(file.leftMs / 1000))}, immutable`,
    'content-disposition': `inline; filename="${file.name.slice(file.name.lastIndexOf('/') + 1)}"`,
    'content-security-policy': policy,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  }
}

/** Opens a stored file, or a part of it. Throws `media_not_found`, and `unavailable` if the storage fails. */
export async function openFile(edge: Edge, name: string, range: ByteRange | 'whole') {
  try {
    return await requireStorage(edge.media).read(name, range === 'whole' ? undefined : range)
  } catch (error) {
    if (error instanceof FileMissing) throw new Problem('media_not_found', { cause: error })
    throw asUnavailable(error)
  }
}
