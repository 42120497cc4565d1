import { crc32, deflateSync } from 'node:zlib'

export interface Size {
  readonly width: number
  readonly height: number
}

const maxKept = 64
const made = new Map<string, Buffer>()

/** A PNG of this size: stripes in two colours, which the seed chooses. The same arguments give the same file. */
export function makePng({ width, height }: Size, seed: number): Buffer {
  const name = `${width}x${height} ${seed % 64}`
  const known = made.get(name)
  if (known) return known
  const png = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header(width, height)),
    chunk('PLTE', palette(seed % 64)),
    chunk('IDAT', deflateSync(stripes(width, height), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
  if (made.size >= maxKept) made.clear()
  made.set(name, png)
  return png
}

/** One bit a pixel, from a palette. */
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
