/** Retries per request, on the whole: never more than one in five, after the few that a process starts with. */
const share = 0.2
const atStart = 3

/** Retries that may be saved up while all goes well. */
const most = 20

/** Keeps retries from multiplying the load on a vendor that is down. */
export interface RetryBudget {
  /** A first try was made: a fifth of a retry is earned. */
  earn(): void
  /** Whether a retry may be made; takes it. */
  spend(): boolean
}

export function openRetryBudget(): RetryBudget {
  let saved = atStart
  return {
    earn() {
      saved = Math.min(most, saved + share)
    },
    spend() {
      if (saved < 1) return false
      saved -= 1
      return true
    },
  }
}
