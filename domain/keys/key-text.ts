import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Ids } from '../../platform/ids.ts'

/**
 * The text of an API key: `sk-rb-<public_id:12>-<secret:48>`, or `sk-rb-prov-<public_id:12>-<secret:48>` for a
 * provisioning key (contract: API key).
 */
export interface KeyText {
  publicId: string
  isProvisioning: boolean
}

const shape = /^sk-rb-(prov-)?([0-9A-Za-z]{12})-([0-9A-Za-z]{48})$/

/** The parts of a key's text, or undefined when it is not one. */
export function parseKeyText(text: string): KeyText | undefined {
  const match = shape.exec(text)
  return match ? { publicId: match[2]!, isProvisioning: match[1] !== undefined } : undefined
}

/** A new key: its text, shown once, and its public id. */
export function mintKeyText(ids: Ids, isProvisioning: boolean): { text: string; publicId: string } {
  const publicId = ids.secret(12)
  return { publicId, text: `sk-rb-${isProvisioning ? 'prov-' : ''}${publicId}-${ids.secret(48)}` }
}

/** First 12 characters, an ellipsis, last 4: what is shown of a key (contract: key_prefix). */
export function maskKeyText(text: string): string {
  return `${text.slice(0, 12)}…${text.slice(-4)}`
}

/** What is kept to recognise a key: HMAC-SHA256 of its whole text under the pepper. */
export function hmacOfKey(pepper: string, text: string): Buffer {
  return createHmac('sha256', pepper).update(text).digest()
}

/** Compares two HMACs in constant time; an unknown key is compared with a dummy, so that it takes as long. */
export function sameHmac(presented: Buffer, kept: Uint8Array | undefined): boolean {
  const against = kept ?? Buffer.alloc(presented.length)
  return timingSafeEqual(presented, against) && kept !== undefined
}
