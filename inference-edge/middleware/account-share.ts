import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import type { Load } from './shed-load.ts'

/** What somebody has in this process. */
interface Taken {
  inFlight: number
  bodyBytes: number
}

/** What all accounts have, one by one and together. */
export interface Accounts extends Taken {
  each: Map<string, Taken>
  inFlightOfKey: Map<string, number>
  /** All accounts without credits together. */
  withoutCredits: Taken
}

export function openAccounts(): Accounts {
  return { ...nothing(), each: new Map(), inFlightOfKey: new Map(), withoutCredits: nothing() }
}

/**
 * What one request takes of the process: a place among the requests in flight of its key and account, and memory for
 * its body until it ends. Nobody fills the process alone: an account may have as many in flight as are left free, and
 * those who pay are not shut out by those without credits.
 */
export class AccountShare {
  readonly #accounts: Accounts
  readonly #config: Config
  readonly #key: CachedKey
  readonly #account: Taken
  #bodyBytes = 0

  /** Takes a place; throws `overloaded` where there is none for this key or account. */
  constructor({ accounts, inFlight }: Load, config: Config, key: CachedKey) {
    const { keyId, accountId, hasCredits } = key
    const { maxInFlight } = config
    const ofKey = accounts.inFlightOfKey.get(keyId) ?? 0
    const account = accounts.each.get(accountId) ?? nothing()
    if (ofKey >= config.maxInFlightPerKey) throw tooMany('requests of this key')
    const free = Math.min(config.maxInFlightPerAccount, maxInFlight - inFlight)
    const own = hasCredits ? free : Math.min(free, maxInFlight / 16)
    if (account.inFlight >= Math.max(1, own)) throw tooMany('requests of this account')
    if (!hasCredits && accounts.withoutCredits.inFlight >= Math.max(1, maxInFlight / 4)) {
      throw tooMany('requests of accounts without credits')
    }
    this.#accounts = accounts
    this.#config = config
    this.#key = key
    this.#account = account
    accounts.each.set(accountId, account)
    accounts.inFlightOfKey.set(keyId, ofKey + 1)
    this.#add(1, 0)
  }

  /** Takes memory for so many bytes of its body, until `release`; throws `overloaded` where there is none. */
  takeBytes(bytes: number): void {
    const { bodyMemoryBytes } = this.#config
    const { withoutCredits, bodyBytes } = this.#accounts
    const { hasCredits } = this.#key
    const others = this.#account.bodyBytes - this.#bodyBytes
    const own = hasCredits ? bodyMemoryBytes / 4 : bodyMemoryBytes / 64
    // The first body of an account may be as large as bodies may be.
    if (others > 0 && this.#account.bodyBytes + bytes > own) throw tooMany('bytes of this account')
    if (!hasCredits && withoutCredits.bodyBytes + bytes > bodyMemoryBytes / 4) {
      throw tooMany('bytes of accounts without credits')
    }
    if (bodyBytes + bytes > bodyMemoryBytes) throw tooMany('bytes')
    this.#bodyBytes += bytes
    this.#add(0, bytes)
  }

  /** Gives back all that it took; call it once. */
  release(): void {
    const { each, inFlightOfKey } = this.#accounts
    const { keyId, accountId } = this.#key
    this.#add(-1, -this.#bodyBytes)
    if (this.#account.inFlight === 0) each.delete(accountId)
    const left = (inFlightOfKey.get(keyId) ?? 1) - 1
    if (left === 0) inFlightOfKey.delete(keyId)
    else inFlightOfKey.set(keyId, left)
  }

  #add(inFlight: number, bodyBytes: number): void {
    add(this.#account, inFlight, bodyBytes)
    add(this.#accounts, inFlight, bodyBytes)
    if (!this.#key.hasCredits) add(this.#accounts.withoutCredits, inFlight, bodyBytes)
  }
}

function add(taken: Taken, inFlight: number, bodyBytes: number): void {
  taken.inFlight += inFlight
  taken.bodyBytes += bodyBytes
}

function nothing(): Taken {
  return { inFlight: 0, bodyBytes: 0 }
}

function tooMany(what: string): Problem {
  return new Problem('overloaded', { retryAfterSeconds: 1, message: `Too many ${what} are in flight.` })
}
