import { hash, verify } from '@node-rs/argon2'

/** argon2id, the default algorithm of the package, with 19 MiB and two passes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Made by `hashPassword` from random bytes: no password has this hash. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$VyybBA3JPUp4ClveGSvzrA$pQTj3yzZx1oN5WoyWFeGXTatjoyZd2MRkJN2RvNg/a0'

/** The argon2id hash of a password, with its salt and cost. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/**
 * Whether the password is right. Takes as long without a hash, so that timing does not reveal unknown
 * e-mails.
 */
export async function checkPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isRight = await verify(passwordHash ?? dummyHash, password)
  return isRight && passwordHash !== undefined
}
