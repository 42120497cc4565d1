import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Size } from './sizes.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url))

/** A video track without frames, with all boxes that players read. */
const emptyMp4 = fixture('empty.mp4')

/** Returns an MP4 with one video track of this size and length, without frames. */
export function makeMp4({ width, height }: Size, seconds: number): Buffer {
  const bytes = Buffer.from(emptyMp4)
  const contentAt = (box: string) => bytes.lastIndexOf(box) + 4
  const durationMs = Math.round(seconds * 1_000)
  bytes.writeUInt32BE(durationMs, contentAt('mvhd') + 16)
  bytes.writeUInt32BE(durationMs, contentAt('mdhd') + 16)
  bytes.writeUInt32BE(durationMs, contentAt('tkhd') + 20)
  bytes.writeUInt16BE(width, contentAt('tkhd') + 76)
  bytes.writeUInt16BE(height, contentAt('tkhd') + 80)
  bytes.writeUInt16BE(width, contentAt('avc1') + 24)
  bytes.writeUInt16BE(height, contentAt('avc1') + 26)
  return bytes
}

/** Returns the header of an MP4 box of free space, which players skip. `bytes` is the length of the space. */
export function freeBox(bytes: number): Buffer {
  const header = Buffer.from('\0\0\0\x01free\0\0\0\0\0\0\0\0', 'latin1') // the 64-bit length follows the type
  header.writeBigUInt64BE(BigInt(bytes + 16), 8)
  return header
}

const pngs = new LRUCache<string, Buffer>({ max: 64 })

/** Returns a PNG of stripes in two colours. The size and the seed determine the file. */
export function makePng(size: Size, seed: number): Buffer {
  const colours = seed % 64
  const name = `${size.width}x${size.height} ${colours}`
  const png = pngs.get(name) ?? encodePng(size, colours)
  pngs.set(name, png)
  return png
}

/** Encodes an image with one bit per pixel and a palette. */
function encodePng({ width, height }: Size, colours: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const colour = [0, 2, 4].map(shift => 40 + ((colours >> shift) & 3) * 60)
  const row = 1 + Math.ceil(width / 8)
  const stripes = Buffer.alloc(row * height)
  for (let line = 0; line < height; line++)
    stripes.fill(line & 32 ? 0xf0 : 0x0f, line * row + 1, (line + 1) * row)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...pngChunk('IHDR', header),
    ...pngChunk('PLTE', Buffer.from([...colour, ...colour.map(part => 255 - part)])),
    ...pngChunk('IDAT', deflateSync(stripes, { level: 1 })),
    ...pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer[] {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return [wordOf(data.length), typed, wordOf(crc32(typed))]
}

function wordOf(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export const soundTypes = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  aac: 'audio/aac',
  flac: 'audio/flac',
  opus: 'audio/opus',
} as const

export type SoundFormat = keyof typeof soundTypes

const sampleRate = 24_000
const toneHz = 220

/** A second of a tone: a whole number of waves, so that consecutive seconds join without a click. */
const tone = Buffer.from(
  Int16Array.from({ length: sampleRate }, (_, at) =>
    Math.round(Math.sin((at / sampleRate) * toneHz * 2 * Math.PI) * 8_000),
  ).buffer,
)

/** One silent frame, or a file without samples, and the number of samples in a frame. Their rate is 44.1 kHz. */
const silences = {
  mp3: { frame: fixture('silence.mp3'), samples: 1_152 },
  aac: { frame: fixture('silence.aac'), samples: 1_024 },
  flac: { frame: fixture('silence.flac'), samples: Infinity },
  opus: { frame: fixture('silence.opus'), samples: Infinity },
}

/** Yields a sound in the pieces of a stream: a tone for `wav` and `pcm`, silence for the other formats. */
export function* makeSound(format: SoundFormat, seconds: number): Iterable<Buffer> {
  if (format === 'wav' || format === 'pcm') {
    const lengthBytes = Math.round(seconds * sampleRate) * 2
    if (format === 'wav') yield wavHeader(lengthBytes)
    return yield* repeat(tone, lengthBytes)
  }
  const { frame, samples } = silences[format]
  const frames = Math.max(1, Math.ceil((seconds * 44_100) / samples))
  yield* repeat(Buffer.concat(Array.from({ length: 64 }, () => frame)), frames * frame.length)
}

/** Returns the header of a WAV with 16 bits and one channel. */
function wavHeader(lengthBytes: number): Buffer {
  const header = fixture('empty.wav')
  header.writeUInt32LE(36 + lengthBytes, 4)
  header.writeUInt32LE(lengthBytes, 40)
  return header
}

/** Yields the first `lengthBytes` bytes of endless repetitions of a piece. */
function* repeat(piece: Buffer, lengthBytes: number): Iterable<Buffer> {
  for (let left = lengthBytes; left > 0; left -= piece.length) yield piece.subarray(0, left)
}
