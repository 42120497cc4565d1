import type { Exchange, Refusal } from '../server/exchange.ts'
import { type Failure, statusFailure } from './faults.ts'
import type { Simulator } from './simulator.ts'

/** How a host of models authenticates callers and presents errors. */
export interface Host {
  /** Returns the caller, which partitions caches. Throws a `Refusal` if the credential is invalid. */
  authenticate(exchange: Exchange, simulator: Simulator): string | Promise<string>
  refuseFailure(failure: Failure): Refusal
}

/** Returns the credential in `Authorization`, or an empty string. */
export function bearerOf({ request }: Exchange, scheme = 'Bearer'): string {
  const [sent, credential = ''] = (request.headers.authorization ?? '').split(' ')
  return sent?.toLowerCase() === scheme.toLowerCase() ? credential : ''
}

/**
 * Checks and returns an API key. Valid keys start with `sim-`, but not with `sim-bad`. A key that contains a status fails
 * with it: `sim-429-team`.
 */
export function checkKey(key: string, refuseFailure: Host['refuseFailure']): string {
  if (!key.startsWith('sim-') || key.startsWith('sim-bad'))
    throw refuseFailure({ ...statusFailure(401, 'sim'), kind: 'key' })
  const [, status] = /^sim-([45]\d\d)/.exec(key) ?? []
  if (status) throw refuseFailure(statusFailure(Number(status), 'sim'))
  return key
}

/** A host whose keys are in `Authorization`. */
export function bearerHost(refuseFailure: Host['refuseFailure'], scheme = 'Bearer'): Host {
  return { authenticate: exchange => checkKey(bearerOf(exchange, scheme), refuseFailure), refuseFailure }
}
