import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Page } from 'playwright-core'

/** Pictures with a smaller share of changed pixels than this are not written: times and IDs differ in every run. */
const sameShare = 0.005

/** The quality of WebP files, from 0 to 1. */
const webpQuality = 0.82

/**
 * Takes a picture of what a page shows, as WebP, unless the file already looks like it. Returns what happened.
 */
export async function savePicture(page: Page, file: string): Promise<string> {
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const before = existsSync(file) ? readFileSync(file) : undefined
  const blank = await page.context().newPage()
  try {
    const taken = await blank.evaluate(encode, {
      png: png.toString('base64'),
      before: before?.toString('base64'),
      quality: webpQuality,
    })
    if (taken.changed < sameShare) return `unchanged (${(taken.changed * 100).toFixed(2)} %)`
    const bytes = Buffer.from(taken.webp, 'base64')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
    return `${(bytes.length / 1000).toFixed(0)} kB`
  } finally {
    await blank.close()
  }
}

/** Runs in the browser. Returns the picture as WebP, and the share of its pixels that differ from the picture before. */
async function encode({
  png,
  before,
  quality,
}: {
  png: string
  before: string | undefined
  quality: number
}): Promise<{ webp: string; changed: number }> {
  const pixelsOf = async (base64: string) => {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes]))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const drawing = canvas.getContext('2d')
    if (!drawing) throw new Error('no canvas')
    drawing.drawImage(image, 0, 0)
    return { canvas, pixels: drawing.getImageData(0, 0, image.width, image.height).data }
  }
  const taken = await pixelsOf(png)
  const old = before === undefined ? undefined : (await pixelsOf(before)).pixels
  const same = old?.length === taken.pixels.length ? old : undefined
  let different = 0
  if (same)
    for (let place = 0; place < same.length; place += 4)
      if (Math.abs((same[place] ?? 0) - (taken.pixels[place] ?? 0)) > 48) different += 1
  const blob = await taken.canvas.convertToBlob({ type: 'image/webp', quality })
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return { webp: btoa(text), changed: same ? different / (same.length / 4) : 1 }
}
