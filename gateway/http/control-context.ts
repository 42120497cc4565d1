import type { ParameterizedContext } from 'koa'
import { isRecord } from '../../platform/checks.ts'
import { parseJson } from '../../platform/http/parse-json.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'

/** What the middleware of the control plane keeps of a request. */
export interface ControlState {
  call: Call
  /** Fields for the request's log line beyond the usual ones. */
  line: Record<string, unknown>
  /** The error that was answered, for the log line. */
  problem?: Problem | undefined
}

export type ControlContext = ParameterizedContext<ControlState>

/** The largest body, and the largest WebSocket message, that management takes, in bytes. */
export const maxBodyBytes = 1024 * 1024

/** How many values a JSON body may hold. The largest valid one, a credential's configuration, holds 500. */
export const maxBodyValues = 5_000

/**
 * The body as a JSON object. Throws `unsupported_media_type` for types other than `types`, and BodyRefused.
 */
export async function readJsonObject(
  ctx: ControlContext,
  types: string[] = ['application/json'],
): Promise<Record<string, unknown>> {
  if (!ctx.is(types)) throw new Problem('unsupported_media_type')
  const body = parseJson(await readBody(ctx.req, maxBodyBytes), maxBodyValues)
  if (isRecord(body)) return body
  throw new Problem('invalid_request', { message: 'The body must be a JSON object.' })
}
