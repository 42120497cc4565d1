/** What the first bytes of each type are, and where. */
const signatures: [mimeType: string, offset: number, bytes: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['image/heic', 4, 'ftypheic'],
  ['image/heic', 4, 'ftypheix'],
  ['image/heif', 4, 'ftypmif1'],
]

/** The type of an image by its first bytes; undefined where they are those of none. */
export function sniffImage(bytes: Buffer): string | undefined {
  const found = signatures.find(
    ([, offset, expected]) => bytes.toString('latin1', offset, offset + expected.length) === expected,
  )
  return found?.[0]
}
