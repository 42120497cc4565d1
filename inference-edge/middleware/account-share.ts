import type { Standing } from '../../domain/allowances/allowances.ts'
import { Occupancy } from '../../domain/allowances/occupancy.ts'
import type { Context } from '../../domain/context.ts'

/** What all accounts occupy of this edge process. */
export interface Accounts {
  requests: Occupancy
  memory: Occupancy
}

export function openAccounts({ config, allowances }: Context): Accounts {
  return {
    requests: new Occupancy(allowances, { resource: 'requests_in_flight', capacity: config.maxInFlight }),
    memory: new Occupancy(allowances, {
      resource: 'memory_bytes',
      capacity: config.bodyMemoryBytes,
      isFirstFree: true,
    }),
  }
}

/** What one request occupies of the process: a place among the requests in flight, and memory. */
export class AccountShare {
  readonly #accounts: Accounts
  readonly #standing: Standing
  #bodyBytes = 0
  #answerBytes = 0

  /** Occupies a place. Throws `allowance_exceeded` and `overloaded`. */
  constructor(accounts: Accounts, standing: Standing) {
    accounts.requests.occupy(standing, 1)
    this.#accounts = accounts
    this.#standing = standing
  }

  /** Occupies memory until `release`. Throws `allowance_exceeded` and `overloaded`. */
  takeBytes(bytes: number): void {
    this.#accounts.memory.occupy(this.#standing, bytes, this.#bodyBytes + this.#answerBytes)
    this.#bodyBytes += bytes
  }

  /** Counts the memory of an answer. It is never refused, but the account's next requests may be. */
  addBytes(bytes: number): void {
    this.#accounts.memory.add(this.#standing, bytes)
    this.#answerBytes += bytes
  }

  /** Releases all that the request occupies. Call it once. */
  release(): void {
    this.#accounts.requests.release(this.#standing, 1)
    this.#accounts.memory.release(this.#standing, this.#bodyBytes)
    this.#accounts.memory.remove(this.#standing, this.#answerBytes)
  }
}
