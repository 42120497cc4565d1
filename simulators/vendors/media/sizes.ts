export interface Size {
  readonly width: number
  readonly height: number
}

/** Parses `1280x720` or `1280*720`. Returns undefined for any other value. */
export function parseSize(text: unknown): Size | undefined {
  const [, width, height] = /^(\d{2,5})[x*](\d{2,5})$/.exec(String(text)) ?? []
  return width && height ? { width: Number(width), height: Number(height) } : undefined
}

/** The shorter side of each resolution, in pixels. */
const sides = new Map([
  ['540p', 540],
  ['720p', 720],
  ['1080p', 1080],
  ['1K', 1024],
  ['2K', 2048],
  ['4K', 4096],
  ['4k', 2160],
])

/** Returns the size for a resolution (default 1K) and an aspect ratio (default 1:1). */
export function sizeOf(resolution: unknown, aspectRatio: unknown): Size {
  const side = sides.get(String(resolution)) ?? 1024
  const [, across = '1', down = '1'] = /^(\d{1,2}):(\d{1,2})$/.exec(String(aspectRatio)) ?? []
  const ratio = Number(across) / Number(down)
  const even = (value: number) => Math.round(value / 2) * 2
  return ratio >= 1
    ? { width: even(side * ratio), height: side }
    : { width: side, height: even(side / ratio) }
}
