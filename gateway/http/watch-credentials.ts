import { createHash } from 'node:crypto'
import { Problem } from '../../schema/errors.ts'
import type { Credential, CredentialWatch } from '../graph/bound-subscriptions.ts'
import { authenticateCall, type Callers } from './identify-caller.ts'

/**
 * Interval between two checks of a credential, in milliseconds. Calls with a revoked credential end within one second.
 */
const checkIntervalMs = 500

interface Watched {
  credential: Credential
  listeners: Set<(problem: Problem) => void>
  isBeingChecked: boolean
}

/**
 * Opens the watch of a process. Each credential is authenticated again twice per second, once for all calls that use
 * it, with the address of its call. If the database is unavailable, the credential counts as valid.
 */
export function openCredentialWatch(callers: Callers): CredentialWatch & { close(): void } {
  const { context } = callers.services
  const watched = new Map<string, Watched>()
  const timer = setInterval(() => {
    for (const [name, credential] of watched) void check(name, credential)
  }, checkIntervalMs)

  return {
    watch(credential, onEnd) {
      const name = nameOf(credential)
      const known = watched.get(name) ?? { credential, listeners: new Set(), isBeingChecked: false }
      watched.set(name, known)
      known.listeners.add(onEnd)
      return () => {
        known.listeners.delete(onEnd)
        if (known.listeners.size === 0 && watched.get(name) === known) watched.delete(name)
      }
    },
    close: () => clearInterval(timer),
  }

  async function check(name: string, credential: Watched): Promise<void> {
    if (credential.isBeingChecked) return
    credential.isBeingChecked = true
    const refusal = await refusalOf(credential.credential)
    credential.isBeingChecked = false
    if (!refusal) return
    watched.delete(name)
    for (const onEnd of credential.listeners) onEnd(refusal)
  }

  /** Returns the reason why a credential is invalid, or `undefined` if it is valid or cannot be checked. */
  async function refusalOf({ authorization, address }: Credential): Promise<Problem | undefined> {
    const call = { requestId: context.ids.tagged('req_'), address }
    const known = await authenticateCall(callers, { call, authorization }).catch(() => undefined)
    if (!known || known.caller || known.operator) return undefined
    return known.refusal ?? new Problem('unauthenticated')
  }
}

/** Returns the hash under which a credential is kept. Plain credentials could appear in a memory dump. */
function nameOf({ authorization, address }: Credential): string {
  return createHash('sha256')
    .update(JSON.stringify([authorization, address]))
    .digest('base64url')
}
