import type { ChatCall, Target } from '../../chat-adapter.ts'

/** Names the model and the credential of a call: what the vendor signed for one, it refuses from another. */
export function originOf({ entry }: Pick<ChatCall, 'entry'>, { vendor, byokId, baseUrl }: Target): string {
  return JSON.stringify([entry.upstream.model, vendor, byokId ?? null, baseUrl])
}
