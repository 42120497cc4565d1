import type { IncomingHttpHeaders } from 'node:http'

/** The requested part of a file, both ends inclusive. */
export type AskedRange = { first: number; last: number } | 'whole' | 'none'

/**
 * Returns the requested part of a file of `bytes` bytes: `whole` if the request names no range, several, or a range of
 * another version of the file (`If-Range`), and `none` if the range is outside the file (RFC 9110, 14).
 */
export function requestedRange(
  headers: IncomingHttpHeaders,
  { bytes, etag }: { bytes: number; etag: string },
): AskedRange {
  const requested = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range?.trim() ?? '')
  if (!requested || (headers['if-range'] !== undefined && headers['if-range'] !== etag)) return 'whole'
  const [, from = '', to = ''] = requested
  if (from === '' && to === '') return 'whole'
  if (from === '') {
    const suffix = Number(to)
    return suffix === 0 ? 'none' : { first: Math.max(0, bytes - suffix), last: bytes - 1 }
  }
  const first = Number(from)
  const last = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (to !== '' && Number(to) < first) return 'whole' // no range at all
  return first >= bytes ? 'none' : { first, last }
}
