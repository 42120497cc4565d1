import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** The options that a page passes to an authenticator, as this service sends them. */
interface CreationOptions {
  challenge: string
  rp: { id: string }
  user: { id: string }
}

interface RequestOptions {
  challenge: string
  rpId: string
  allowCredentials?: { id: string }[]
}

/** What differs from an honest browser and authenticator. */
interface Deviations {
  origin?: string
  rpId?: string
  challenge?: string
  isUserVerified?: boolean
  counter?: number
}

const flags = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 }

/**
 * An authenticator in software. It speaks the formats of WebAuthn: CBOR, COSE, authenticator data and client data. It has
 * one credential, ES256, and counts its signatures.
 */
export class Authenticator {
  readonly origin: string
  readonly credentialId = randomBytes(24)
  #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #userHandle = ''
  counter = 0

  constructor(origin: string) {
    this.origin = origin
  }

  /** Answers `navigator.credentials.create`, as `toJSON()` does. */
  create(options: CreationOptions, deviations: Deviations = {}) {
    this.#userHandle = options.user.id
    const {
      challenge,
      origin,
      rpId,
      isUserVerified = true,
    } = { origin: this.origin, rpId: options.rp.id, challenge: options.challenge, ...deviations }
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.credentialId.length)
    const authData = Buffer.concat([
      header(rpId, flags.attested | flagsOf(isUserVerified), this.counter),
      Buffer.alloc(16), // the model of the authenticator, which it need not disclose
      length,
      this.credentialId,
      cbor(coseKeyOf(this.#keys.publicKey)),
    ])
    const attestation = cbor(
      new Map<string, Encodable>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    return this.#credential({
      clientDataJSON: base64url(clientData('webauthn.create', challenge, origin)),
      attestationObject: base64url(attestation),
      transports: ['internal'],
    })
  }

  /** Answers `navigator.credentials.get`, as `toJSON()` does. */
  get(options: RequestOptions, deviations: Deviations = {}) {
    this.counter += 1
    const {
      challenge,
      origin,
      rpId,
      isUserVerified = true,
      counter = this.counter,
    } = { origin: this.origin, rpId: options.rpId, challenge: options.challenge, ...deviations }
    const data = clientData('webauthn.get', challenge, origin)
    const authData = header(rpId, flagsOf(isUserVerified), counter)
    const signed = Buffer.concat([authData, createHash('sha256').update(data).digest()])
    return this.#credential({
      clientDataJSON: base64url(data),
      authenticatorData: base64url(authData),
      signature: base64url(createSign('sha256').update(signed).sign(this.#keys.privateKey)),
      userHandle: this.#userHandle,
    })
  }

  #credential<Response>(response: Response) {
    const id = base64url(this.credentialId)
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

function flagsOf(isUserVerified: boolean): number {
  return flags.userPresent | (isUserVerified ? flags.userVerified : 0)
}

function header(rpId: string, bits: number, counter: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([bits]), count])
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

/** A public key as COSE has it: an elliptic-curve key of P-256 for ES256. */
function coseKeyOf(key: KeyObject): Map<number, Encodable> {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const entries: [number, Encodable][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]
  return new Map(entries)
}

type Encodable = number | string | Buffer | Map<number | string, Encodable>

/** Encodes a value as CBOR (RFC 8949): integers, texts, bytes and maps up to 65,535 bytes. */
function cbor(value: Encodable): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([
    head(5, value.size),
    ...[...value].flatMap(([name, item]) => [cbor(name), cbor(item)]),
  ])
}

function head(type: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(type << 5) | length])
  if (length < 256) return Buffer.from([(type << 5) | 24, length])
  return Buffer.from([(type << 5) | 25, length >> 8, length & 0xff])
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url')
}
