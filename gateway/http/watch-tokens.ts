import { createHash } from 'node:crypto'
import { needsSecondFactor } from '../../domain/callers/confirmations.ts'
import { scopesOf } from '../../domain/callers/scopes.ts'
import { Problem } from '../../schema/errors.ts'
import type { PresentedToken, TokenWatch } from '../graph/bound-subscriptions.ts'
import { authenticateCall, type Callers } from './identify-caller.ts'

/**
 * Interval between two checks of a token, in milliseconds. Calls with a revoked token end within one second.
 */
const checkIntervalMs = 500

interface Watched {
  presented: PresentedToken
  listeners: Set<(problem: Problem) => void>
  isBeingChecked: boolean
}

/**
 * Opens the watch of a process. Each token is authenticated again twice per second, once for all calls that use
 * it, with the address of its call. A call also ends when the scopes of its caller change. If the database is unavailable, the token counts as valid.
 */
export function openTokenWatch(callers: Callers): TokenWatch & { close(): void } {
  const { context } = callers.services
  const watched = new Map<string, Watched>()
  const timer = setInterval(() => {
    for (const [name, one] of watched) void check(name, one)
  }, checkIntervalMs)

  return {
    watch(presented, onEnd) {
      const name = nameOf(presented)
      const known = watched.get(name) ?? { presented, listeners: new Set(), isBeingChecked: false }
      watched.set(name, known)
      known.listeners.add(onEnd)
      return () => {
        known.listeners.delete(onEnd)
        if (known.listeners.size === 0 && watched.get(name) === known) watched.delete(name)
      }
    },
    close: () => clearInterval(timer),
  }

  async function check(name: string, one: Watched): Promise<void> {
    if (one.isBeingChecked) return
    one.isBeingChecked = true
    const refusal = await refusalOf(one.presented)
    one.isBeingChecked = false
    if (!refusal) return
    watched.delete(name)
    for (const onEnd of one.listeners) onEnd(refusal)
  }

  /** Returns the reason why a token is invalid, or `undefined` if it is valid or cannot be checked. */
  async function refusalOf({ authorization, address, caller }: PresentedToken): Promise<Problem | undefined> {
    const call = { requestId: context.ids.tagged('req_'), address }
    const known = await authenticateCall(callers, { call, authorization }).catch(() => undefined)
    if (!known) return undefined
    if (!known.caller && !known.operator) return known.refusal ?? new Problem('unauthenticated')
    if (needsSecondFactor('Subscription', known.caller)) return new Problem('second_factor_required')
    const isSame = String(scopesOf(known)) === String(scopesOf({ ...known, caller }))
    return isSame
      ? undefined
      : new Problem('forbidden', { message: 'Your role has changed. Subscribe again.' })
  }
}

/** Returns the hash by which a token is stored. Plain tokens could appear in a memory dump. */
function nameOf({ authorization, address, caller }: PresentedToken): string {
  return createHash('sha256')
    .update(JSON.stringify([authorization, address, caller]))
    .digest('base64url')
}
