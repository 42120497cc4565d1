import { LRUCache } from 'lru-cache'
import type { Resource } from '../../schema/allowances.ts'
import { type Allowances, allowanceOf, type Standing } from './allowances.ts'

/** Time by which an account may be ahead of its rate without a delay, in milliseconds. */
const slackMs = 250
/** Maximum delay, in milliseconds. */
const maxDelayMs = 5_000
const maxAccounts = 10_000

/** Slows accounts down to their allowance per second, in this process. */
export class Pace {
  readonly #allowances: Allowances
  readonly #resource: Resource
  /** When each account will have caught up with the amounts that it used, by the monotonic clock in milliseconds. */
  readonly #usedUpAt = new LRUCache<string, number>({ max: maxAccounts })

  constructor(allowances: Allowances, resource: Resource) {
    this.#allowances = allowances
    this.#resource = resource
  }

  /** Counts an amount, and returns the delay after which the account may go on, in milliseconds. */
  delayMs(standing: Standing, amount: number, now = performance.now()): number {
    const perMs = Math.max(1, allowanceOf(this.#allowances, standing, this.#resource)) / 1000
    const earlier = Math.max(this.#usedUpAt.get(standing.accountId) ?? 0, now)
    const usedUpAt = Math.min(earlier + amount / perMs, now + slackMs + maxDelayMs)
    this.#usedUpAt.set(standing.accountId, usedUpAt)
    return Math.max(0, usedUpAt - now - slackMs)
  }
}
