import type { Resource } from '../../schema/allowances.ts'
import { Problem } from '../../schema/errors.ts'
import { type Allowances, allowanceOf, type Standing } from './allowances.ts'
import { allowanceExceeded } from './exceeded.ts'

/** Share of a process's capacity that all accounts that never paid may occupy together. */
const neverPaidShare = 1 / 4

/** Delay after which a client may retry a request that was refused because the process is full, in seconds. */
const retryAfterSeconds = 1

/**
 * The amounts of one resource that accounts occupy in this process. An account gets at most its allowance, and at most
 * as much as is still free, so that no account fills the process. All accounts that never paid together get at most a
 * quarter of the capacity.
 */
export class Occupancy {
  readonly #allowances: Allowances
  readonly #resource: Resource
  readonly #capacity: number
  /** Whether the only request of an account may take any amount that is free. */
  readonly #isFirstFree: boolean
  readonly #byAccount = new Map<string, number>()
  #total = 0
  #neverPaid = 0

  constructor(
    allowances: Allowances,
    options: { resource: Resource; capacity: number; isFirstFree?: boolean },
  ) {
    this.#allowances = allowances
    this.#resource = options.resource
    this.#capacity = options.capacity
    this.#isFirstFree = options.isFirstFree ?? false
  }

  /** Returns the amount that an account occupies. */
  of(accountId: string): number {
    return this.#byAccount.get(accountId) ?? 0
  }

  /**
   * Occupies an amount until `release`. `own` is what the same request occupies already. Throws `allowance_exceeded`,
   * or `overloaded` if the process is full.
   */
  occupy(standing: Standing, amount: number, own = 0): void {
    const used = this.of(standing.accountId)
    const free = this.#freeFor(standing)
    if (amount > free && standing.isPaying) throw new Problem('overloaded', { retryAfterSeconds })
    const limit = allowanceOf(this.#allowances, standing, this.#resource)
    const isExempt = this.#isFirstFree && used === own
    if (amount > free || (used + amount > Math.min(limit, free) && !isExempt))
      throw allowanceExceeded(this.#resource, { limit, standing, retryAfterSeconds })
    this.#occupied(standing, amount)
  }

  /**
   * Counts an amount until `remove`, whatever the limits: against the account, and if it never paid, against the share of
   * all such accounts.
   */
  add({ accountId, isPaying }: Standing, amount: number): void {
    const used = this.of(accountId) + amount
    if (used === 0) this.#byAccount.delete(accountId)
    else this.#byAccount.set(accountId, used)
    if (!isPaying) this.#neverPaid += amount
  }

  /** Removes an amount that `add` counted for the same standing. */
  remove(standing: Standing, amount: number): void {
    this.add(standing, -amount)
  }

  /** Releases an amount that `occupy` accepted for the same standing. */
  release(standing: Standing, amount: number): void {
    this.#occupied(standing, -amount)
  }

  #occupied(standing: Standing, amount: number): void {
    this.add(standing, amount)
    this.#total += amount
  }

  #freeFor({ isPaying }: Standing): number {
    const free = this.#capacity - this.#total
    if (isPaying) return free
    return Math.min(free, Math.max(1, this.#capacity * neverPaidShare) - this.#neverPaid)
  }
}
