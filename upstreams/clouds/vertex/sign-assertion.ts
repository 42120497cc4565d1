import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { UpstreamFailure } from '../../upstream-failure.ts'
import type { ServiceAccount } from './service-account.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const lifeSeconds = 3600

/** The largest key that is signed with: the time that a signature takes grows with the cube of it. */
const mostBits = 4_096

/** Such a key has fewer characters as PEM. */
const mostCharacters = 8_192

/** So many signatures are made at a time, on the threads that files and names are looked up with; so many wait. */
const mostAtOnce = 2
const mostWaiting = 200

export interface AssertionSigner {
  /**
   * What a service account says of itself to get a token: a JWT, signed with RS256 beside the event loop.
   * `nowMs` is in milliseconds since 1970. Throws UpstreamFailure `auth`, and `busy` where too many wait.
   */
  sign(account: ServiceAccount, nowMs: number): Promise<string>
}

/** Opens the signer of a process. */
export function openAssertionSigner(): AssertionSigner {
  let running = 0
  const waiting: (() => void)[] = []
  const takeTurn = async () => {
    if (running < mostAtOnce) running += 1
    else if (waiting.length < mostWaiting) await new Promise<void>(resolve => waiting.push(resolve))
    else throw new UpstreamFailure('busy', { message: 'too many tokens are signed', retryAfterSeconds: 1 })
  }
  const endTurn = () => {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
  return {
    async sign(account, nowMs) {
      const key = readKey(account.privateKey)
      const text = assertionOf(account, nowMs)
      await takeTurn()
      return `${text}.${await signText(text, key).finally(endTurn)}`
    },
  }
}

function assertionOf(account: ServiceAccount, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(account.privateKeyId && { kid: account.privateKeyId }) }
  const claims = {
    iss: account.clientEmail,
    scope,
    aud: account.tokenUri,
    iat: issuedAt,
    exp: issuedAt + lifeSeconds,
  }
  return `${encode(header)}.${encode(claims)}`
}

function readKey(privateKey: string): KeyObject {
  const key = privateKey.length <= mostCharacters ? parseKey(privateKey) : undefined
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? Number.POSITIVE_INFINITY
  if (key && bits <= mostBits) return key
  const message = `the private_key of the service account must have at most ${mostBits} bits`
  throw new UpstreamFailure('auth', { message })
}

function parseKey(privateKey: string): KeyObject {
  try {
    const key = createPrivateKey(privateKey)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // said below
  }
  throw unreadable()
}

function unreadable(): UpstreamFailure {
  return new UpstreamFailure('auth', { message: 'the private_key of the service account cannot be read' })
}

function signText(text: string, key: KeyObject): Promise<string> {
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(text), key, (error, signature) => {
      if (error) reject(unreadable())
      else resolve(signature.toString('base64url'))
    })
  })
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
