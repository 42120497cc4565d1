import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A file of the built console, as `files.json` describes it. */
export interface BuiltFile {
  type: string
  /** The validator of the file's content, in quotes. */
  etag: string
}

/**
 * Writes the files of the console with their gzip and brotli versions, and `files.json`, which lists them. The control
 * plane serves what the list names. Throws if the type of a file is unknown.
 */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const written = await Promise.all([...files].map(async file => writeVersions(folder, file)))
  await writeFile(join(folder, 'files.json'), `${JSON.stringify(Object.fromEntries(written), null, 2)}\n`)
}

async function writeVersions(
  folder: string,
  [name, content]: [string, string | Uint8Array],
): Promise<[name: string, file: BuiltFile]> {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`${name}: list the type of this file in console/build/files.ts`)
  const bytes = Buffer.from(content)
  const path = join(folder, name)
  const [zipped, brotli] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    mkdir(dirname(path), { recursive: true }),
  ])
  await Promise.all([
    writeFile(path, bytes),
    writeFile(`${path}.gz`, zipped),
    writeFile(`${path}.br`, brotli),
  ])
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  return [name, { type, etag: `"${digest}"` }]
}
