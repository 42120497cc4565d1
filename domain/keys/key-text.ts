import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Config } from '../../platform/config/read-config.ts'
import type { Ids } from '../../platform/ids.ts'

/**
 * The parts of an API key's text: `sk-rb-<public_id:12>-<secret:48>`, or `sk-rb-prov-<public_id:12>-<secret:48>` for
 * a provisioning key. The public ID may be logged.
 */
export interface KeyText {
  publicId: string
  isProvisioning: boolean
}

const shape = /^sk-rb-(prov-)?([0-9A-Za-z]{12})-([0-9A-Za-z]{48})$/

/** Parses the text of a key. Returns undefined for any other text. */
export function parseKeyText(text: string): KeyText | undefined {
  const match = shape.exec(text)
  return match ? { publicId: match[2]!, isProvisioning: match[1] !== undefined } : undefined
}

/** Creates the text of a key, with a new public ID unless one is given. */
export function mintKeyText(
  ids: Ids,
  isProvisioning: boolean,
  publicId = ids.secret(12),
): { text: string; publicId: string } {
  return { publicId, text: `sk-rb-${isProvisioning ? 'prov-' : ''}${publicId}-${ids.secret(48)}` }
}

/** Returns the masked form of a key: its first 12 characters, an ellipsis and its last 4. */
export function maskKeyText(text: string): string {
  return `${text.slice(0, 12)}…${text.slice(-4)}`
}

/** Returns the value by which a key is verified: the HMAC-SHA256 of its full text under the pepper. */
export function hmacOfKey(pepper: string, text: string): Buffer {
  return createHmac('sha256', pepper).update(text).digest()
}

/** Returns the accepted peppers. New HMACs use the first one. */
export function peppersOf(config: Pick<Config, 'keyPepper' | 'keyPepperSecond'>): [string, ...string[]] {
  const { keyPepper, keyPepperSecond } = config
  return keyPepperSecond ? [keyPepper, keyPepperSecond] : [keyPepper]
}

/** The HMACs of a presented key under each accepted pepper. */
export type KeyHmacs = readonly [Buffer, ...Buffer[]]

/** Returns the HMACs of a presented key, any of which may be stored. */
export function hmacsOfKey(config: Pick<Config, 'keyPepper' | 'keyPepperSecond'>, text: string): KeyHmacs {
  const [pepper, ...others] = peppersOf(config)
  return [hmacOfKey(pepper, text), ...others.map(other => hmacOfKey(other, text))]
}

/** Whether one of the presented HMACs is the stored one. Takes the same time if none is stored. */
export function matchesHmac(presented: readonly Buffer[], stored: Uint8Array | undefined): boolean {
  return presented.filter(hmac => sameHmac(hmac, stored)).length > 0
}

/** Compares two HMACs in constant time. If none is stored, it compares with zeros, which takes the same time. */
function sameHmac(presented: Buffer, stored: Uint8Array | undefined): boolean {
  const against = stored ?? Buffer.alloc(presented.length)
  return timingSafeEqual(presented, against) && stored !== undefined
}

/** Returns the associated data of a key's full text (`Vault`). */
export function associatedDataOfFullKey(accountId: string, keyId: string): string {
  return `api_keys/${accountId}/${keyId}/full_key`
}
