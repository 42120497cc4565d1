import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { FairQueue } from '../../platform/fair-queue.ts'
import type { ServiceAccount } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const lifetimeSeconds = 3600

/** Maximum length of an RSA key, in bits. The time of a signature grows with the cube of the length. */
const maxKeyBits = 4_096

/** Maximum length of a PEM file, in characters: more than a key of this length needs. */
const maxKeyCharacters = 8_192

/** Maximum number of concurrent signatures. They run on the few threads that also read files and resolve names. */
const maxConcurrent = 2
const maxWaiting = 200

/** Maximum number of waiting assertions of one account: a tenth of the queue. */
const maxWaitingPerAccount = 20

export interface AssertionSigner {
  /**
   * Returns the assertion with which a service account requests a token: a JWT, signed with RS256 off the event loop.
   * `nowMs` is in milliseconds since 1970. Accounts (`accountId`) take turns. Throws UpstreamFailure: `auth` for an
   * unusable key, and `busy` if too many assertions wait.
   */
  sign(account: ServiceAccount, options: { nowMs: number; accountId: string }): Promise<string>
}

/** Opens the signer of a process. */
export function openAssertionSigner(): AssertionSigner {
  const queue = new FairQueue({
    slots: maxConcurrent,
    maxWaitingPerOwner: maxWaitingPerAccount,
    maxWaiting,
    refusal: () =>
      new UpstreamFailure('busy', { message: 'too many tokens are signed', retryAfterSeconds: 1 }),
  })
  return {
    async sign(account, { nowMs, accountId }) {
      const key = readKey(account.privateKey)
      const text = assertionOf(account, nowMs)
      return `${text}.${await queue.run({ id: accountId }, () => signText(text, key))}`
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
    exp: issuedAt + lifetimeSeconds,
  }
  return `${encode(header)}.${encode(claims)}`
}

function readKey(privateKey: string): KeyObject {
  const key = privateKey.length <= maxKeyCharacters ? parseKey(privateKey) : undefined
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? Number.POSITIVE_INFINITY
  if (key && bits <= maxKeyBits) return key
  const message = `the private_key of the service account must have at most ${maxKeyBits} bits`
  throw new UpstreamFailure('auth', { message })
}

function parseKey(privateKey: string): KeyObject {
  try {
    const key = createPrivateKey(privateKey)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // refused below
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
