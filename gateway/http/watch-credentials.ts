import { createHash } from 'node:crypto'
import { Problem } from '../../schema/errors.ts'
import type { Credential, CredentialWatch } from '../graph/bound-subscriptions.ts'
import { authenticateCall, type Callers } from './identify-caller.ts'

/** A revoked credential ends what runs on it within a second. */
const checkEveryMs = 500

interface Watched {
  credential: Credential
  listeners: Set<(problem: Problem) => void>
  isBeingChecked: boolean
}

/**
 * Opens the watch of a process: each credential is authenticated anew twice a second, once for all that runs on it, as
 * the call that brought it was. While that cannot be decided, as the database is away, it stands.
 */
export function openCredentialWatch(callers: Callers): CredentialWatch & { close(): void } {
  const { context } = callers.services
  const watched = new Map<string, Watched>()
  const every = setInterval(() => {
    for (const [name, credential] of watched) void check(name, credential)
  }, checkEveryMs)

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
    close: () => clearInterval(every),
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

  /** Why it stands no longer; undefined where it stands, or nobody can say. */
  async function refusalOf({ authorization, address }: Credential): Promise<Problem | undefined> {
    const call = { requestId: context.ids.tagged('req_'), address }
    const known = await authenticateCall(callers, { call, authorization }).catch(() => undefined)
    if (!known || known.caller || known.operator) return undefined
    return known.refusal ?? new Problem('unauthenticated')
  }
}

/** Credentials are not kept as names: a name may end up in a dump of what a process holds. */
function nameOf({ authorization, address }: Credential): string {
  return createHash('sha256')
    .update(JSON.stringify([authorization, address]))
    .digest('base64url')
}
