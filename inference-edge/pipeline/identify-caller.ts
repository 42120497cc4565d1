import { identify } from '../../domain/inference/identify.ts'
import { identifySession } from '../../domain/inference/identify-session.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { KeyHmacs } from '../../domain/keys/key-text.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { readAuthorization, speaksMessages } from '../protocols/messages/client.ts'

const json = /^application\/json\s*(;|$)/i

/**
 * Returns the key of a request. If the Authorization or Content-Type header is missing, wrong or repeated, the error is
 * the exact 401 of `/v1` (docs/behaviour.md, Errors). Clients of the Messages protocol may send their key in `x-api-key`.
 * Throws the errors of `identify`. With `admitsSession`, it also throws the errors of `identifySession`.
 */
export function identifyCaller(
  edge: Edge,
  ctx: EdgeContext,
  {
    contentTypes = json,
    isCompared = false,
    admitsProvisioning = false,
    admitsSession = false,
  }: {
    contentTypes?: RegExp | undefined
    isCompared?: boolean
    admitsProvisioning?: boolean
    /** Whether a session of the console is accepted too, which calls with the key of the playground. */
    admitsSession?: boolean
  } = {},
): Promise<CachedKey> {
  const { headers, rawHeaders } = ctx.req
  if (ctx.method === 'POST') {
    const isOne = countOf(rawHeaders, 'content-type') === 1
    if (!isOne || !contentTypes.test(headers['content-type'] ?? '')) throw new Problem('no_access')
  }
  const mayHaveKeyHeader = headers['x-api-key'] !== undefined && speaksMessages(ctx)
  const authorization = mayHaveKeyHeader ? readAuthorization(ctx.req) : headers.authorization
  if (!mayHaveKeyHeader && countOf(rawHeaders, 'authorization') !== 1) throw new Problem('no_access')
  const { inference } = edge
  const clientAddress = edge.clientAddressOf(ctx.req)
  const { patience, record } = ctx.state
  const recognised = (key: CachedKey, hmacs: KeyHmacs, memberId?: string) => {
    ctx.state.key = key
    ctx.state.hmacs = hmacs
    ctx.state.memberId = memberId
    record.accountId = key.accountId
    record.keyId = key.keyId
    record.clientAddress = clientAddress
  }
  const { requestId } = record
  const identifyOther = (token: string) =>
    identifySession(inference, { token, headers, requestId, clientAddress, patience, recognised })
  return identify(inference, {
    authorization,
    clientAddress,
    patience,
    isCompared,
    admitsProvisioning,
    identifyOther: admitsSession ? identifyOther : undefined,
    recognised,
  })
}

/** Returns how often a request has a header. */
function countOf(rawHeaders: string[], name: string): number {
  return rawHeaders.filter((header, at) => at % 2 === 0 && header.toLowerCase() === name).length
}
