import { identify } from '../../domain/inference/identify.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { readAuthorization, speaksMessages } from '../protocols/messages/client.ts'

const json = /^application\/json\s*(;|$)/i

/**
 * Returns the key of a request. If the Authorization or Content-Type header is missing, wrong or repeated, the error is
 * the exact 401 of `/v1` (docs/behaviour.md, Errors). Clients of the Messages protocol may send their key in `x-api-key`.
 * Throws the errors of `identify`.
 */
export function identifyCaller(
  edge: Edge,
  ctx: EdgeContext,
  {
    contentTypes = json,
    isCompared = false,
    admitsProvisioning = false,
  }: { contentTypes?: RegExp | undefined; isCompared?: boolean; admitsProvisioning?: boolean } = {},
): Promise<CachedKey> {
  const { headers, rawHeaders } = ctx.req
  if (ctx.method === 'POST') {
    const isOne = countOf(rawHeaders, 'content-type') === 1
    if (!isOne || !contentTypes.test(headers['content-type'] ?? '')) throw new Problem('no_access')
  }
  const mayHaveKeyHeader = headers['x-api-key'] !== undefined && speaksMessages(ctx)
  const authorization = mayHaveKeyHeader ? readAuthorization(ctx.req) : headers.authorization
  if (!mayHaveKeyHeader && countOf(rawHeaders, 'authorization') !== 1) throw new Problem('no_access')
  const clientAddress = edge.clientAddressOf(ctx.req)
  return identify(edge.inference, {
    authorization,
    clientAddress,
    patience: ctx.state.patience,
    isCompared,
    admitsProvisioning,
    recognised(key, hmacs) {
      const { state } = ctx
      state.key = key
      state.hmacs = hmacs
      state.record.accountId = key.accountId
      state.record.keyId = key.keyId
      state.record.clientAddress = clientAddress
    },
  })
}

/** Returns how often a request has a header. */
function countOf(rawHeaders: string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!
    if (header.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count
}
