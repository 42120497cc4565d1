import type { Refusal } from '../server/exchange.ts'
import type { Failure } from '../server/faults.ts'

/**
 * Checks and returns an API key. Valid keys start with `sim-`, but not with `sim-bad`. A key that contains a status fails
 * with it: `sim-429-team`.
 */
export function checkKey(
  key: string,
  options: {
    refuseKey: () => Refusal
    /** The vendor's status for invalid keys. */
    keyStatus?: number
    refuseFailure: (failure: Failure) => Refusal
  },
): string {
  const { refuseKey, keyStatus, refuseFailure } = options
  if (!key.startsWith('sim-') || key.startsWith('sim-bad')) throw refuseKey()
  const status = Number(/^sim-([45]\d\d)/.exec(key)?.[1] ?? 0)
  if (status === 0) return key
  if (status === keyStatus) throw refuseKey()
  throw refuseFailure({ kind: 'status', status, model: 'sim', retryAfterMs: 1000 })
}
