import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { parseDecimalJson } from './parse-decimal-json.ts'

/** A public list as downloaded. */
export interface Source {
  json: unknown
  /** The first 12 digits of the SHA-256 digest of its text. */
  digest: string
}

/** Maximum time of a download, in milliseconds. */
const downloadTimeoutMs = 60_000
/** Maximum size of a list, in bytes: ten times the size of the largest known one. */
const maxBytes = 40_000_000

/** Reads a list from a file or an `https://` address. Throws an Error of one line if that fails, or if it is not JSON. */
export async function readSource(from: string): Promise<Source> {
  const text = /^https?:\/\//.test(from) ? await download(from) : await readSmallFile(from)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  try {
    return { json: parseDecimalJson(text), digest }
  } catch (error) {
    throw new Error(`${from} is not JSON`, { cause: error })
  }
}

async function readSmallFile(path: string): Promise<string> {
  const { size } = await stat(path)
  if (size > maxBytes) throw tooLarge(path)
  return readFile(path, 'utf8')
}

function tooLarge(from: string): Error {
  return new Error(`${from} is larger than ${maxBytes} bytes`)
}

async function download(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(downloadTimeoutMs) }).catch(
    (error: unknown) => {
      throw new Error(`${url} cannot be read`, { cause: error })
    },
  )
  if (!response.ok || !response.body) throw new Error(`${url} answers with status ${response.status}`)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body) {
    bytes += piece.length
    if (bytes > maxBytes) throw tooLarge(url)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
