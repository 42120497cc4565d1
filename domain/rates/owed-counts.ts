import type { Forced } from './rate-batch.ts'
import type { RateRequest } from './window.ts'

/** Maximum number of keys for which counts are kept. */
const maxKeys = 50_000

/** Counts of requests that this process admitted while Redis did not answer, and that Redis does not have yet. */
export class OwedCounts {
  readonly #byKey = new Map<string, Forced>()

  /** Adds what an admitted request counts. */
  add({ request }: Forced): void {
    const owed = this.#byKey.get(request.keyId)
    const requests = request.requests + (owed?.request.requests ?? 0)
    const tokens = request.tokens + (owed?.request.tokens ?? 0)
    this.#byKey.set(request.keyId, { request: { ...request, requests, tokens } })
    if (this.#byKey.size > maxKeys) this.#byKey.delete(this.#byKey.keys().next().value!)
  }

  /** Subtracts a request that Redis counted after all, or `tokens` that an admitted request did not use. */
  subtract({ keyId, requests, tokens }: Pick<RateRequest, 'keyId' | 'tokens'> & { requests: number }): void {
    const owed = this.#byKey.get(keyId)
    if (!owed) return
    const left = {
      requests: Math.max(0, owed.request.requests - requests),
      tokens: Math.max(0, owed.request.tokens - tokens),
    }
    if (left.requests + left.tokens === 0) this.#byKey.delete(keyId)
    else this.#byKey.set(keyId, { request: { ...owed.request, ...left } })
  }

  /** Removes and returns all counts, or those of one account. */
  take(accountId?: string): Forced[] {
    if (this.#byKey.size === 0) return []
    const taken = [...this.#byKey.values()].filter(
      ({ request }) => accountId === undefined || request.accountId === accountId,
    )
    for (const { request } of taken) this.#byKey.delete(request.keyId)
    return taken
  }
}
