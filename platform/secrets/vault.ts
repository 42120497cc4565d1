import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * Secrets at rest: AES-256-GCM under a data key of their own, which a master key wraps. `place` (account,
 * table, row, field) is authenticated with both, so that a ciphertext moved to another row does not open.
 *
 * Layout: version 1 | length of master key id | master key id | nonce 12 + tag 16 + wrapped data key 32 |
 * nonce 12 + tag 16 + ciphertext. The header names the master key, so rotation re-wraps without decrypting.
 */
export interface Vault {
  seal(plain: string, place: string): Buffer
  /** Throws when the text was altered, moved to another place, or its master key is unknown. */
  open(sealed: Uint8Array, place: string): string
  /** The same secret wrapped by the current master key. */
  rewrap(sealed: Uint8Array, place: string): Buffer
  /** What every secret wrapped by the current master key begins with. */
  readonly header: Buffer
}

const version = 1
const boxBytes = 12 + 16

/** Opens a vault over `id → base64 of 32 bytes`; the first one wraps what is new. */
export function openVault(masterKeys: ReadonlyMap<string, string>): Vault {
  const keys = new Map([...masterKeys].map(([id, key]) => [id, Buffer.from(key, 'base64')]))
  const current = masterKeys.keys().next().value
  if (current === undefined) throw new Error('A vault needs a master key')

  const header = Buffer.concat([Buffer.from([version, Buffer.byteLength(current)]), Buffer.from(current)])
  const wrap = (dataKey: Buffer, place: string): Buffer =>
    Buffer.concat([header, encrypt(keys.get(current)!, dataKey, place)])
  const unwrap = (sealed: Buffer, place: string): { dataKey: Buffer; body: Buffer } => {
    const idEnd = 2 + (sealed[1] ?? 0)
    const key = keys.get(sealed.subarray(2, idEnd).toString())
    if (sealed[0] !== version || !key) throw new Error('The secret was sealed by an unknown master key')
    const wrapEnd = idEnd + boxBytes + 32
    return { dataKey: decrypt(key, sealed.subarray(idEnd, wrapEnd), place), body: sealed.subarray(wrapEnd) }
  }

  return {
    header,
    seal(plain, place) {
      const dataKey = randomBytes(32)
      return Buffer.concat([wrap(dataKey, place), encrypt(dataKey, Buffer.from(plain), place)])
    },
    open(sealed, place) {
      const { dataKey, body } = unwrap(Buffer.from(sealed), place)
      return decrypt(dataKey, body, place).toString()
    },
    rewrap(sealed, place) {
      const { dataKey, body } = unwrap(Buffer.from(sealed), place)
      return Buffer.concat([wrap(dataKey, place), body])
    },
  }
}

function encrypt(key: Buffer, plain: Buffer, place: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

function decrypt(key: Buffer, box: Buffer, place: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12)).setAAD(Buffer.from(place))
  decipher.setAuthTag(box.subarray(12, boxBytes))
  return Buffer.concat([decipher.update(box.subarray(boxBytes)), decipher.final()])
}
