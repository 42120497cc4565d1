import { dropOldest } from '../../platform/drop-oldest.ts'
import type { RateRequest } from './window.ts'

/** Maximum number of accounts for which counts are kept. */
const maxAccounts = 50_000

/** Maximum number of keys that `take` returns, because Redis serves no other call while it counts them. */
const maxTaken = 500

/** The sums of the counts of a key's requests. */
export interface Owed {
  request: Omit<RateRequest, 'requests'> & { requests: number }
}

/** The counts of requests that this process admitted while Redis did not respond, and that Redis does not have yet. */
export class OwedCounts {
  /** The counts by account ID, then by key ID. */
  readonly #accounts = new Map<string, Map<string, Owed>>()

  /** Adds the counts of an admitted request. */
  add({ request }: Owed): void {
    const { accountId, keyId } = request
    const keys = this.#accounts.get(accountId) ?? new Map<string, Owed>()
    const owed = keys.get(keyId)
    const requests = request.requests + (owed?.request.requests ?? 0)
    const tokens = request.tokens + (owed?.request.tokens ?? 0)
    if (requests + tokens === 0) return
    keys.set(keyId, { request: { ...request, requests, tokens } })
    this.#accounts.set(accountId, keys)
    dropOldest(this.#accounts, maxAccounts)
  }

  /** Subtracts a request that Redis counted after all, or `tokens` that an admitted request did not use. */
  subtract({
    accountId,
    keyId,
    requests,
    tokens,
  }: Pick<RateRequest, 'accountId' | 'keyId' | 'tokens'> & { requests: number }): void {
    const keys = this.#accounts.get(accountId)
    const owed = keys?.get(keyId)
    if (!keys || !owed) return
    const left = {
      requests: Math.max(0, owed.request.requests - requests),
      tokens: Math.max(0, owed.request.tokens - tokens),
    }
    if (left.requests + left.tokens > 0) keys.set(keyId, { request: { ...owed.request, ...left } })
    else keys.delete(keyId)
    if (keys.size === 0) this.#accounts.delete(accountId)
  }

  /** Removes and returns the counts of one account, or of as many accounts as one call may count. */
  take(accountId?: string): Owed[] {
    const taken: Owed[] = []
    for (const id of accountId === undefined ? this.#accounts.keys() : [accountId]) {
      if (taken.length >= maxTaken) break
      taken.push(...(this.#accounts.get(id)?.values() ?? []))
      this.#accounts.delete(id)
    }
    return taken
  }
}
