import { readCreditTotals } from '../../domain/billing/read-credit-totals.ts'
import { type Caller, mayReadKey } from '../../domain/callers/caller.ts'
import { isPermitted } from '../../domain/callers/permissions.ts'
import { limitsOf } from '../../domain/inference/check-key-and-rate.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { readSpending } from '../../domain/keys/read-spending.ts'
import { findRequest } from '../../domain/logs/request-log.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam, missingParam } from '../../schema/refuse-param.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { admitReader, withinPatience } from '../pipeline/admit-reader.ts'
import { presentCredits, presentGeneration, presentKey } from './present-account.ts'

/** `GET /v1/key`: returns the limits and the spending of the key that calls. */
export async function readKey(edge: Edge, ctx: EdgeContext): Promise<void> {
  const key = await admit(edge, ctx)
  const { accountId, keyId } = key
  const spending = await query(edge, key, from => readSpending(from, { accountId, keyId }))
  ctx.body = { data: presentKey(key, spending, limitsOf(edge.inference.context, key)) }
}

/** `GET /v1/credits`: returns the credits that the account has received, and what it has spent of them. */
export async function readCredits(edge: Edge, ctx: EdgeContext): Promise<void> {
  const key = await admit(edge, ctx)
  requireScope(key, 'Account.balance')
  ctx.body = { data: presentCredits(await query(edge, key, from => readCreditTotals(from, key))) }
}

/**
 * `GET /v1/generation?id=…`: returns one request of the log. An ordinary key finds only its own requests. Throws
 * `missing_parameter`, `invalid_request`, `not_found`.
 */
export async function readGeneration(edge: Edge, ctx: EdgeContext): Promise<void> {
  const key = await admit(edge, ctx)
  requireScope(key, 'Query.request')
  const { accountId } = key
  const { logs } = edge.inference.context
  const requestId = readRequestId(ctx.query.id)
  const log = await query(edge, key, from => findRequest({ ...from, logs }, { accountId, requestId }))
  if (!log || !mayReadKey(callerOf(key), log.apiKeyId))
    throw new Problem('not_found', { param: 'id', message: 'The log contains no request with this ID.' })
  ctx.body = { data: presentGeneration(log) }
}

function admit(edge: Edge, ctx: EdgeContext): Promise<CachedKey> {
  return admitReader(edge, ctx, { admitsProvisioning: true })
}

/** Throws `forbidden` if the key is a provisioning key whose scopes exclude the operation of the graph. */
function requireScope(key: CachedKey, operation: string): void {
  if (!isPermitted(operation, { caller: callerOf(key) })) throw new Problem('forbidden')
}

function callerOf({ accountId, keyId, isProvisioning, scopes }: CachedKey): Caller {
  return isProvisioning
    ? { kind: 'provisioning', accountId, keyId, scopes }
    : { kind: 'key', accountId, keyId }
}

/** Maximum wait for a query, in milliseconds. The queries of an account take turns. */
const queryTimeoutMs = 5_000

function query<Read>(
  edge: Edge,
  { accountId }: CachedKey,
  read: (from: { sql: Sql }) => Promise<Read>,
): Promise<Read> {
  return withinPatience(edge, edge.inference.context.queries.run(accountId, read), { leftMs: queryTimeoutMs })
}

/** The ID of a request, or of its answer or task, which has the same suffix after another prefix. */
const idShape = /^(?:chatcmpl-|(?:req|resp|msg|task)_)([0-9a-f]{32})$/

/** Returns the ID of the request that `id` names. */
function readRequestId(id: unknown): string {
  if (id === undefined || id === '') throw missingParam('id')
  const [, suffix] = (typeof id === 'string' && idShape.exec(id)) || []
  if (suffix === undefined)
    throw invalidParam(
      'id',
      'must be the ID of a chat completion, response, message or task, or the x-request-id of a request',
    )
  return `req_${suffix}`
}
