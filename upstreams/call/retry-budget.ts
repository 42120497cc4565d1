/** Retries per request: never more than one in five, after the few that a process, and an account, starts with. */
const share = 0.2
const atStart = 3

/** Retries that may be saved up while all goes well. */
const most = 20

/** Accounts remembered; of more the oldest starts anew. */
const mostAccounts = 10_000

/**
 * Keeps retries from multiplying the load on a vendor that is down. An account spends what it has earned itself: one
 * whose requests always fail leaves the others theirs.
 */
export interface RetryBudget {
  /** A first try was made: a fifth of a retry is earned. */
  earn(accountId?: string): void
  /** Whether a retry may be made; takes it. */
  spend(accountId?: string): boolean
}

export function openRetryBudget(): RetryBudget {
  const all = { saved: atStart }
  const accounts = new Map<string, { saved: number }>()
  const accountOf = (accountId: string) => {
    let account = accounts.get(accountId)
    if (!account) {
      if (accounts.size >= mostAccounts) accounts.delete(accounts.keys().next().value!)
      account = { saved: atStart }
      accounts.set(accountId, account)
    }
    return account
  }
  return {
    earn(accountId = '') {
      const account = accountOf(accountId)
      all.saved = Math.min(most, all.saved + share)
      account.saved = Math.min(most, account.saved + share)
    },
    spend(accountId = '') {
      const account = accountOf(accountId)
      if (all.saved < 1 || account.saved < 1) return false
      all.saved -= 1
      account.saved -= 1
      return true
    },
  }
}
