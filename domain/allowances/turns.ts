import type { Resource } from '../../schema/allowances.ts'
import { type Allowances, allowanceOf, type Standing } from './allowances.ts'
import { allowanceExceeded } from './exceeded.ts'
import { standingOf } from './standing.ts'

/** Share of the turns that accounts that never paid may use together. */
const neverPaidShare = 1 / 2

/** Maximum number of waiting requests per account. */
const maxWaiting = 60

/** Maximum time that a request waits, in milliseconds. */
const maxWaitMs = 10_000

interface Account {
  standing: Standing
  limit: number
  running: number
  waiting: Set<() => void>
}

/**
 * Turns of a process at one kind of work. An account has at most its allowance of turns at the same time. Its other
 * requests wait, and accounts are served round robin.
 */
export class Turns {
  readonly #allowances: Allowances
  readonly #resource: Resource
  readonly #capacity: number
  /** Accounts that use or wait for turns, in the order in which they are served. */
  readonly #accounts = new Map<string, Account>()
  #running = 0
  #neverPaid = 0

  constructor(allowances: Allowances, options: { resource: Resource; capacity: number }) {
    this.#allowances = allowances
    this.#resource = options.resource
    this.#capacity = options.capacity
  }

  /**
   * Runs `work` in a turn of the account. Throws `allowance_exceeded` if too many requests of the account wait, or if no
   * turn is free within ten seconds.
   */
  async run<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
    const account = this.#accountOf(await standingOf(this.#allowances, accountId))
    if (!(await this.#begun(account))) throw this.#exceeded(account)
    try {
      return await work()
    } finally {
      this.#add(account, -1)
      this.#serve()
      this.#forget(account)
    }
  }

  #accountOf(standing: Standing): Account {
    const limit = Math.max(1, allowanceOf(this.#allowances, standing, this.#resource))
    const known = this.#accounts.get(standing.accountId)
    if (known) return Object.assign(known, { limit })
    const account = { standing, limit, running: 0, waiting: new Set<() => void>() }
    this.#accounts.set(standing.accountId, account)
    return account
  }

  #begun(account: Account): Promise<boolean> {
    if (account.waiting.size >= maxWaiting) return Promise.resolve(false)
    return new Promise(resolve => {
      const begin = () => {
        clearTimeout(timer)
        account.waiting.delete(begin)
        resolve(true)
      }
      const timer = setTimeout(() => {
        account.waiting.delete(begin)
        this.#forget(account)
        resolve(false)
      }, maxWaitMs)
      account.waiting.add(begin)
      this.#serve()
    })
  }

  /** Starts what may start. An account that is served goes to the end of the order. */
  #serve(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [begin] = next.waiting
      this.#accounts.delete(next.standing.accountId)
      this.#accounts.set(next.standing.accountId, next)
      this.#add(next, 1)
      begin?.()
    }
  }

  #next(): Account | undefined {
    if (this.#running >= this.#capacity) return undefined
    const isNeverPaidFull = this.#neverPaid >= Math.max(1, this.#capacity * neverPaidShare)
    for (const account of this.#accounts.values()) {
      if (account.waiting.size === 0 || account.running >= account.limit) continue
      if (account.standing.isPaying || !isNeverPaidFull) return account
    }
    return undefined
  }

  #add(account: Account, change: 1 | -1): void {
    account.running += change
    this.#running += change
    if (!account.standing.isPaying) this.#neverPaid += change
  }

  #forget({ standing, running, waiting }: Account): void {
    if (running === 0 && waiting.size === 0) this.#accounts.delete(standing.accountId)
  }

  #exceeded({ standing, limit }: Account): Error {
    return allowanceExceeded(this.#resource, { standing, limit, retryAfterSeconds: 1 })
  }
}
