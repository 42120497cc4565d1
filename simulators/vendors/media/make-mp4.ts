import type { Size } from './sizes.ts'

/** Time units per second. */
const timescale = 1_000

/** Returns an MP4 with one video track of this size and length. It has all boxes that players read, but no frames. */
export function makeMp4({ width, height }: Size, seconds: number): Buffer {
  const duration = Math.round(seconds * timescale)
  const ftyp = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2avc1mp41', 'latin1'))
  const moov = box('moov', box('mvhd', movieHeader(duration)), track({ width, height }, duration))
  return Buffer.concat([ftyp, moov])
}

/** Returns the header of a box of free space, which players skip. `bytes` is the length of the space. */
export function freeBox(bytes: number): Buffer {
  const header = Buffer.alloc(16)
  header.writeUInt32BE(1, 0) // the 64-bit length follows the type
  header.write('free', 4, 'latin1')
  header.writeBigUInt64BE(BigInt(bytes + 16), 8)
  return header
}

function track(size: Size, duration: number): Buffer {
  const handler = full('hdlr', 0, Buffer.from('\0\0\0\0vide\0\0\0\0\0\0\0\0\0\0\0\0Video\0', 'latin1'))
  const references = full('dref', 0, words(1), full('url ', 1))
  const table = box(
    'stbl',
    full('stsd', 0, words(1), sampleEntry(size)),
    full('stts', 0, words(0)),
    full('stsc', 0, words(0)),
    full('stsz', 0, words(0, 0)),
    full('stco', 0, words(0)),
  )
  const information = box('minf', full('vmhd', 1, words(0, 0)), box('dinf', references), table)
  const header = full('mdhd', 0, words(0, 0, timescale, duration), Buffer.from([0x55, 0xc4, 0, 0]))
  return box('trak', full('tkhd', 7, trackHeader(size, duration)), box('mdia', header, handler, information))
}

const unity = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]

function movieHeader(duration: number): Buffer {
  const times = words(0, 0, 0, timescale, duration)
  const rest = words(0x10000, 0x1000000, 0, 0, ...unity, 0, 0, 0, 0, 0, 0, 2)
  return Buffer.concat([times, rest])
}

function trackHeader({ width, height }: Size, duration: number): Buffer {
  return words(0, 0, 1, 0, duration, 0, 0, 0, 0, ...unity, width << 16, height << 16)
}

function sampleEntry({ width, height }: Size): Buffer {
  const bytes = Buffer.alloc(78)
  bytes.writeUInt16BE(1, 6)
  bytes.writeUInt16BE(width, 24)
  bytes.writeUInt16BE(height, 26)
  bytes.writeUInt32BE(0x480000, 28)
  bytes.writeUInt32BE(0x480000, 32)
  bytes.writeUInt16BE(1, 40)
  bytes.writeUInt16BE(24, 74)
  bytes.writeInt16BE(-1, 76)
  return box('avc1', bytes)
}

/** Returns a full box: version 0, the flags, then the content. */
function full(type: string, flags: number, ...content: readonly Buffer[]): Buffer {
  return box(type, words(flags), ...content)
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(bytes.length + 8)
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, bytes])
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4)
  return bytes
}
