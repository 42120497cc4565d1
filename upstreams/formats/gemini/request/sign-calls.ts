import type { Turn } from '../wire.ts'

/** What the vendor takes in place of a signature that it never gave, or gave for another model. */
const sentinel = 'skip_thought_signature_validator'

/**
 * Gives the first call of each turn a signature, where none came back: models that sign demand one. In every turn,
 * not only the current one, so that a conversation's beginning stays the same and stays cached.
 */
export function signCalls(turns: readonly Turn[]): void {
  for (const { parts } of turns) {
    const first = parts.find(part => part.functionCall)
    if (first) first.thoughtSignature ??= sentinel
  }
}
