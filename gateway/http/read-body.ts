import type { IncomingMessage } from 'node:http'
import secureJson from 'secure-json-parse'
import { readText } from '../../platform/http/read-text.ts'
import { Problem } from '../../schema/errors.ts'

/** The largest body that management takes, in bytes. */
export const maxBodyBytes = 1024 * 1024

/** Nothing that management takes nests deeper. */
const maxDepth = 64

/** The whole body of a request as text. Throws `body_too_large`, `invalid_request` when it is cut. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const text = await readText(request, maxBodyBytes).catch(cause => {
    throw new Problem('invalid_request', { message: 'The body was cut.', cause })
  })
  if (text !== undefined) return text
  throw new Problem('body_too_large', { message: `The body is larger than ${maxBodyBytes} bytes.` })
}

/** JSON that was read from outside. Throws `invalid_json`, also for what nests too deep or reaches a prototype. */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = secureJson.parse(text, undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw new Problem('invalid_json', { cause: error })
  }
  if (isDeeper(value, maxDepth))
    throw new Problem('invalid_json', { message: `The body nests deeper than ${maxDepth} levels.` })
  return value
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(item => isDeeper(item, depth - 1))
}
