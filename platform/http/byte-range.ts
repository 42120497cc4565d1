import type { IncomingHttpHeaders } from 'node:http'

/** The requested part of a file, both ends inclusive. */
export type AskedRange = { first: number; last: number } | 'whole' | 'none'

/**
 * The part of a file of `bytes` bytes that a request asks for: the whole, where it names none, several, or one of another
 * state of the file (`If-Range`); `none` where there is no such part (RFC 9110, 14).
 */
export function askedRange(
  headers: IncomingHttpHeaders,
  { bytes, etag }: { bytes: number; etag: string },
): AskedRange {
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range?.trim() ?? '')
  if (!asked || (headers['if-range'] !== undefined && headers['if-range'] !== etag)) return 'whole'
  const [, from = '', to = ''] = asked
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
