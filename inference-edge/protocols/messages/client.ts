import type { IncomingMessage } from 'node:http'
import { readBearer } from '../../../domain/callers/caller.ts'
import { Problem } from '../../../schema/errors.ts'

/**
 * Whether a client speaks the Messages protocol: it asks at its address, or names its version. It may send its key in
 * `x-api-key`, and is told errors in its own shape.
 */
export function speaksMessages({
  path,
  headers,
}: {
  path: string
  headers: IncomingMessage['headers']
}): boolean {
  return /^\/v1\/messages(?=[/?]|$)/.test(path) || headers['anthropic-version'] !== undefined
}

/**
 * What such a client gives as its Authorization: its own, or the key in `x-api-key`. Agents send both, with the same
 * key. Throws `no_access` where they differ, or one is there twice.
 */
export function readAuthorization({ headersDistinct }: IncomingMessage): string | undefined {
  const { authorization = [], 'x-api-key': keys = [] } = headersDistinct
  if (authorization.length > 1 || keys.length > 1) throw new Problem('no_access')
  const [bearer] = authorization
  const key = keys[0]?.trim()
  if (!key) return bearer
  if (bearer !== undefined && readBearer(bearer) !== key) throw new Problem('no_access')
  return `Bearer ${key}`
}
