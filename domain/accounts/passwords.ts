import { hash, verify } from '@node-rs/argon2'

/** argon2id with 19 MiB and two passes; the package's default algorithm is argon2id. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Made by `hashPassword` from random bytes that nobody kept. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$VyybBA3JPUp4ClveGSvzrA$pQTj3yzZx1oN5WoyWFeGXTatjoyZd2MRkJN2RvNg/a0'

/** The argon2id hash of a password, with its salt and cost. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/** Whether the password fits. Takes as long when there is no hash to compare with: an unknown e-mail does not show. */
export async function checkPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const fits = await verify(passwordHash ?? dummyHash, password)
  return fits && passwordHash !== undefined
}
