import type { Calls } from './documents.ts'

/** The outcomes of failed calls. Calls that the client caused to fail say nothing about the vendor. */
export const failures = ['broken', 'timeouts', 'busy', 'refusedCredentials', 'stopped'] as const

/** Returns the number of calls that failed because of the vendor or the credential. */
export function failedOf(calls: Calls): number {
  return failures.reduce((sum, name) => sum + calls[name], 0)
}
