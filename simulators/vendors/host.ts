import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange, Refusal } from '../server/exchange.ts'
import type { Failure } from '../server/faults.ts'
import type { Simulator } from './simulator.ts'

/** How a host of models authenticates callers, and presents answers and errors. */
export interface Host {
  /** Returns the caller, which partitions caches. Throws a `Refusal` if the credential is invalid. */
  authenticate(exchange: Exchange, simulator: Simulator): string | Promise<string>
  /** The headers of all answers. */
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseFailure(failure: Failure): Refusal
}

/** Returns the credential in `Authorization`, or an empty string. */
export function bearerOf({ request }: Exchange, scheme = 'Bearer'): string {
  const [sent, credential = ''] = (request.headers.authorization ?? '').split(' ')
  return sent?.toLowerCase() === scheme.toLowerCase() ? credential : ''
}

/**
 * Checks and returns an API key. Valid keys start with `sim-`, but not with `sim-bad`. A key that contains a status fails
 * with it: `sim-429-team`. `keyStatus` is the vendor's status for invalid keys.
 */
export function checkKey(
  key: string,
  options: { refuseKey(): Refusal; keyStatus?: number; refuseFailure(failure: Failure): Refusal },
): string {
  const { refuseKey, keyStatus, refuseFailure } = options
  if (!key.startsWith('sim-') || key.startsWith('sim-bad')) throw refuseKey()
  const status = Number(/^sim-([45]\d\d)/.exec(key)?.[1] ?? 0)
  if (status === 0) return key
  if (status === keyStatus) throw refuseKey()
  throw refuseFailure({ kind: 'status', status, model: 'sim', retryAfterMs: 1000 })
}
