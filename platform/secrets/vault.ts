import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * Encrypts secrets at rest with AES-256-GCM. Each secret has its own data key, which a master key wraps. `associatedData`
 * (table, account, row, field) is authenticated with both, so that a ciphertext copied to another row does not decrypt.
 *
 * Layout: version 1 | length of master key ID | master key ID | nonce 12 + tag 16 + wrapped data key 32 |
 * nonce 12 + tag 16 + ciphertext. The header names the master key, so a rotation re-wraps without decrypting the secret.
 */
export interface Vault {
  seal(plain: string, associatedData: string): Buffer
  /** Throws if the secret was altered or copied from another row, or if its master key is unknown. */
  open(sealed: Uint8Array, associatedData: string): string
  /** Returns the same secret, wrapped by the current master key. */
  rewrap(sealed: Uint8Array, associatedData: string): Buffer
  /** The first bytes of every secret that the current master key wraps. */
  readonly header: Buffer
}

const version = 1
const boxBytes = 12 + 16

/** Opens a vault with master keys: ID to 32 bytes in base64. The first key wraps new secrets. */
export function openVault(masterKeys: ReadonlyMap<string, string>): Vault {
  const keys = new Map([...masterKeys].map(([id, key]) => [id, Buffer.from(key, 'base64')]))
  const current = masterKeys.keys().next().value
  if (current === undefined) throw new Error('A vault needs a master key')

  const header = Buffer.concat([Buffer.from([version, Buffer.byteLength(current)]), Buffer.from(current)])
  const wrap = (dataKey: Buffer, associatedData: string): Buffer =>
    Buffer.concat([header, encrypt(keys.get(current)!, dataKey, associatedData)])
  const unwrap = (sealed: Buffer, associatedData: string): { dataKey: Buffer; body: Buffer } => {
    const idEnd = 2 + (sealed[1] ?? 0)
    const key = keys.get(sealed.subarray(2, idEnd).toString())
    if (sealed[0] !== version || !key) throw new Error('The secret was sealed by an unknown master key')
    const wrapEnd = idEnd + boxBytes + 32
    return {
      dataKey: decrypt(key, sealed.subarray(idEnd, wrapEnd), associatedData),
      body: sealed.subarray(wrapEnd),
    }
  }

  return {
    header,
    seal(plain, associatedData) {
      const dataKey = randomBytes(32)
      return Buffer.concat([
        wrap(dataKey, associatedData),
        encrypt(dataKey, Buffer.from(plain), associatedData),
      ])
    },
    open(sealed, associatedData) {
      const { dataKey, body } = unwrap(Buffer.from(sealed), associatedData)
      return decrypt(dataKey, body, associatedData).toString()
    },
    rewrap(sealed, associatedData) {
      const { dataKey, body } = unwrap(Buffer.from(sealed), associatedData)
      return Buffer.concat([wrap(dataKey, associatedData), body])
    },
  }
}

function encrypt(key: Buffer, plain: Buffer, associatedData: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(associatedData))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

function decrypt(key: Buffer, box: Buffer, associatedData: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12)).setAAD(
    Buffer.from(associatedData),
  )
  decipher.setAuthTag(box.subarray(12, boxBytes))
  return Buffer.concat([decipher.update(box.subarray(boxBytes)), decipher.final()])
}
