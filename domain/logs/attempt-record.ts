/** One try to have a request answered, as the log keeps it where there was more than the one that succeeded. */
export interface AttemptRecord {
  /** The account's own credential; null is the platform's. */
  credentialId: string | null
  /** The model as clients name it. */
  model: string
  durationMs: number
  /** The vendor's HTTP status; null where it did not answer. */
  status: number | null
  /** Why it failed; null where it succeeded. Carries no secret. */
  error: string | null
}

/** The attempts of a request as its row keeps them; null where there is nothing to tell. */
export function attemptsText(attempts: readonly AttemptRecord[]): string | null {
  return attempts.length > 0 ? JSON.stringify(attempts) : null
}
