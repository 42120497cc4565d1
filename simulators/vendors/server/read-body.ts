import type { IncomingMessage } from 'node:http'
import { type Json, parseJson } from '../json.ts'

/** A request's body, received whole. */
export interface Body {
  readonly bytes: Buffer
  /** What it says, where its content type is JSON and it parses. */
  readonly json: Json | undefined
}

const mostBytes = 100 * 1024 * 1024
const nothing: Body = { bytes: Buffer.alloc(0), json: undefined }

/**
 * Reads the body of a request to its end.
 * Answers `'too large'` past 100 MB, and `'gone'` where the client left before the end.
 */
export function readBody(request: IncomingMessage): Promise<Body | 'too large' | 'gone'> {
  if (request.method === 'GET' || request.method === 'HEAD') {
    request.resume()
    return Promise.resolve(nothing)
  }
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes <= mostBytes) chunks.push(chunk)
      else resolve('too large')
    })
    request.on('end', () => resolve(parseBody(request, chunks)))
    request.on('close', () => resolve('gone'))
  })
}

function parseBody(request: IncomingMessage, chunks: Buffer[]): Body {
  const [first] = chunks
  if (!first) return nothing
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks)
  const isJson = request.headers['content-type']?.includes('json') ?? false
  return { bytes, json: isJson ? parseJson(bytes.toString()) : undefined }
}
