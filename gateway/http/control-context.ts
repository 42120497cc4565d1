import type { ParameterizedContext } from 'koa'
import { isRecord } from '../../platform/checks.ts'
import { parseJson } from '../../platform/http/parse-json.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'

/** The state of a request in the control plane. */
export interface ControlState {
  call: Call
  /** Fields for the request's log line beyond the usual ones. */
  line: Record<string, unknown>
  /** The error in the response, for the log line. */
  problem?: Problem | undefined
}

export type ControlContext = ParameterizedContext<ControlState>

/** Maximum size of a management request's body and of a WebSocket message, in bytes. */
export const maxBodyBytes = 1024 * 1024

/** Maximum number of values in a JSON body. The largest valid body, a credential's configuration, has 500. */
export const maxBodyValues = 5_000

/** Reads the body as a JSON object. Throws `unsupported_media_type` for types other than `types`, and BodyRefused. */
export async function readJsonObject(
  ctx: ControlContext,
  types: string[] = ['application/json'],
): Promise<Record<string, unknown>> {
  if (!ctx.is(types)) throw new Problem('unsupported_media_type')
  const body = parseJson(await readBody(ctx.req, maxBodyBytes), maxBodyValues)
  if (isRecord(body)) return body
  throw new Problem('invalid_request', { message: 'The body must be a JSON object.' })
}
