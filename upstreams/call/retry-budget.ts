import { LRUCache } from 'lru-cache'

/**
 * Number of retries that a request earns: at most one request in five is retried, beyond the initial retries of a
 * process or account. Not an allowance, because the limit protects vendors that are down.
 */
const earnedPerRequest = 0.2
const initialRetries = 3

/** Maximum number of unused retries. */
const maxSaved = 20

/**
 * Maximum number of remembered accounts. Beyond it, the least recently used account is dropped and starts with its
 * initial retries again.
 */
const maxAccounts = 10_000

/**
 * Keeps retries from multiplying the load on an unavailable vendor. A retry counts in the account's own budget and in the
 * process's budget, so an account whose requests always fail does not use up the retries of others.
 */
export interface RetryBudget {
  /** Called for each request. Adds a fifth of a retry. */
  earn(accountId?: string): void
  /** Takes a retry. Returns false if none is left. */
  spend(accountId?: string): boolean
}

export function openRetryBudget(): RetryBudget {
  const all = { saved: initialRetries }
  const accounts = new LRUCache<string, { saved: number }>({ max: maxAccounts })
  const accountOf = (accountId: string) => {
    let account = accounts.get(accountId)
    if (!account) {
      account = { saved: initialRetries }
      accounts.set(accountId, account)
    }
    return account
  }
  return {
    earn(accountId = '') {
      const account = accountOf(accountId)
      all.saved = Math.min(maxSaved, all.saved + earnedPerRequest)
      account.saved = Math.min(maxSaved, account.saved + earnedPerRequest)
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
