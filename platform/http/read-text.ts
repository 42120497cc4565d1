import type { IncomingMessage } from 'node:http'

/** The whole body of a request as text; undefined when it is larger than `limitBytes`. Throws when it is cut. */
export async function readText(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return undefined
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > limitBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
