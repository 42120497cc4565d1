import type { FailureKind } from '../../../upstream-failure.ts'

/** Statuses that say what is wrong with the request itself. */
const ofTheRequest = new Set([400, 409, 413, 415, 422])

/**
 * Why a call failed, by the status of its answer. A refused credential, an unknown model and a used-up quota are ours
 * to mend, never the client's 401. What no vendor answers to a wrong request, such as a proxy's redirect, is
 * never told as the client's fault: another credential or model may be asked instead.
 */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403 || status === 404) return 'auth'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  if (status === 408 || status === 504) return 'timeout'
  return ofTheRequest.has(status) ? 'request' : 'broken'
}
