import type { Caller } from '../../domain/callers/caller.ts'

/** Sessions and provisioning keys read what every key of their account did, an ordinary key what it did itself. */
export function mayReadKey(caller: Caller, keyId: string): boolean {
  return caller.kind !== 'key' || caller.keyId === keyId
}
