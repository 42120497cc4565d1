import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../../platform/config/read-config.ts'

/** Length of states, cookies and codes, in characters of [0-9A-Za-z]: 256 bits. */
export const secretLength = 43

/** Returns the stored form of a state, cookie or code. They are random, so the hash needs no salt. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/**
 * Derives the nonce and the code verifier of an authorization request from its state, so that neither is stored. A
 * state alone reveals neither.
 */
export function deriveChecks(
  { keyPepper }: Pick<Config, 'keyPepper'>,
  state: string,
): { nonce: string; codeVerifier: string } {
  const derive = (purpose: string) =>
    createHmac('sha256', keyPepper).update(`sign-in ${purpose} ${state}`).digest('base64url')
  return { nonce: derive('nonce'), codeVerifier: derive('verifier') }
}

/** The shape of an S256 code challenge and of a code verifier (RFC 7636). */
const challengeShape = /^[\w-]{43}$/
const verifierShape = /^[\w.~-]{43,128}$/

/** Whether a text is a code challenge of the method S256. */
export function isCodeChallenge(text: string): boolean {
  return challengeShape.test(text)
}

/** Whether the challenge is the S256 challenge of the verifier. */
export function matchesChallenge({ verifier, challenge }: { verifier: string; challenge: string }): boolean {
  if (!verifierShape.test(verifier)) return false
  const given = Buffer.from(hash('sha256', verifier, 'base64url'))
  const expected = Buffer.from(challenge)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
