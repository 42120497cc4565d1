import { crc32, deflateSync } from 'node:zlib'
import type { Size } from './sizes.ts'

const maxCached = 64
const cached = new Map<string, Buffer>()

/** Returns a PNG of stripes in two colours. The size and the seed determine the file. */
export function makePng({ width, height }: Size, seed: number): Buffer {
  const name = `${width}x${height} ${seed % 64}`
  const known = cached.get(name)
  if (known) return known
  const png = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header(width, height)),
    chunk('PLTE', palette(seed % 64)),
    chunk('IDAT', deflateSync(stripes(width, height), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
  if (cached.size >= maxCached) cached.clear()
  cached.set(name, png)
  return png
}

/** Describes an image with one bit per pixel and a palette. */
function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(width, 0)
  bytes.writeUInt32BE(height, 4)
  bytes.set([1, 3, 0, 0, 0], 8)
  return bytes
}

function palette(seed: number): Buffer {
  const shade = (bits: number) => 40 + (bits & 3) * 60
  const [red, green, blue] = [shade(seed), shade(seed >> 2), shade(seed >> 4)]
  return Buffer.from([red, green, blue, 255 - red, 255 - green, 255 - blue])
}

function stripes(width: number, height: number): Buffer {
  const row = 1 + Math.ceil(width / 8)
  const bytes = Buffer.alloc(row * height)
  for (let line = 0; line < height; line++)
    bytes.fill(line & 32 ? 0xf0 : 0x0f, line * row + 1, (line + 1) * row)
  return bytes
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, check])
}
