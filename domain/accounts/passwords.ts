import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { FairQueue } from '../../platform/fair-queue.ts'
import { widestNetworkOf } from '../../platform/http/addresses.ts'
import { Problem } from '../../schema/errors.ts'

/** argon2id, the default algorithm of the package, with 19 MiB and two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash that no password has: `hashPassword` created it from random bytes. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$VyybBA3JPUp4ClveGSvzrA$pQTj3yzZx1oN5WoyWFeGXTatjoyZd2MRkJN2RvNg/a0'

/** Returns the argon2id hash of a password, with its salt and cost. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/**
 * Hashes passwords in a process that serves requests. A hash takes 19 MiB and tens of milliseconds of a core, on a
 * thread beside the event loop. So only a few run at the same time, and networks take turns.
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

/** Maximum number of hashes that run at the same time: a quarter of the cores, so that other requests keep theirs. */
const slots = Math.max(1, Math.floor(availableParallelism() / 4))

/**
 * Maximum number of hashes that wait, from one network and in total. They take about one second and five seconds of one
 * core.
 */
const maxWaitingPerNetwork = 20
const maxWaiting = 100

export function openPasswords(): Passwords {
  const queue = new FairQueue({
    slots,
    maxWaitingPerOwner: maxWaitingPerNetwork,
    maxWaiting,
    refusal: bound =>
      new Problem(bound === 'owner' ? 'too_many_tries' : 'overloaded', { retryAfterSeconds: 2 }),
  })
  const ownerOf = (address: string) => ({ id: widestNetworkOf(address) })
  return {
    hash: (password, address) => queue.run(ownerOf(address), () => hashPassword(password)),
    async check(password, passwordHash, address) {
      const isRight = await queue.run(ownerOf(address), () => verify(passwordHash ?? dummyHash, password))
      return isRight && passwordHash !== undefined
    },
  }
}
