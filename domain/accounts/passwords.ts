import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { openFairQueue } from '../../platform/fair-queue.ts'
import { networkOf, siteOf } from '../../platform/http/addresses.ts'
import { Problem } from '../../schema/errors.ts'

/** argon2id, the default algorithm of the package, with 19 MiB and two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Made by `hashPassword` from random bytes: no password has this hash. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$VyybBA3JPUp4ClveGSvzrA$pQTj3yzZx1oN5WoyWFeGXTatjoyZd2MRkJN2RvNg/a0'

/** Returns the argon2id hash of a password, with its salt and cost. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/**
 * Hashes passwords in a process that serves requests. A hash takes tens of milliseconds of a core and 19 MiB, on a
 * thread beside the event loop. Therefore few run at a time, and networks take turns.
 */
export interface Passwords {
  /** Returns the hash of a password. Throws `too_many_tries` and `overloaded` as `check` does. */
  hash(password: string, address: string): Promise<string>
  /**
   * Returns whether the password is right. Takes the same time without a hash, so that timing does not reveal unknown
   * e-mails. Throws `too_many_tries` if too many passwords from the client's network wait, `overloaded` if too many
   * from all networks do.
   */
  check(password: string, passwordHash: string | undefined, address: string): Promise<boolean>
}

/** Hashes that run at a time: a quarter of the cores, so that requests of other clients keep theirs. */
const atOnce = Math.max(1, Math.floor(availableParallelism() / 4))

/** Hashes that wait, from one network and from all: about one second, and five seconds, of one core. */
const waitingOfNetwork = 20
const waiting = 100

export function openPasswords(): Passwords {
  const queue = openFairQueue({
    atOnce,
    waitingOfName: waitingOfNetwork,
    waiting,
    refusal: bound =>
      new Problem(bound === 'name' ? 'too_many_tries' : 'overloaded', { retryAfterSeconds: 2 }),
  })
  const nameOf = (address: string) => siteOf(address) ?? networkOf(address)
  return {
    hash: (password, address) => queue.run(nameOf(address), () => hashPassword(password)),
    async check(password, passwordHash, address) {
      const isRight = await queue.run(nameOf(address), () => verify(passwordHash ?? dummyHash, password))
      return isRight && passwordHash !== undefined
    },
  }
}
