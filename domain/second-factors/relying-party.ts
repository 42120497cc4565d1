import { isIP } from 'node:net'
import type { Config } from '../../platform/config/read-config.ts'
import { isLoopback } from '../../platform/http/addresses.ts'
import { Problem } from '../../schema/errors.ts'

/** This service, as browsers and authenticators know it. */
export interface RelyingParty {
  /** The RP ID: the domain to which passkeys are bound. */
  id: string
  /** The origin of the pages that use passkeys. */
  origin: string
}

/**
 * Returns the relying party of the service: the host and the origin of `BASE_URL`. WebAuthn needs a domain name, so a
 * loopback address is served as `localhost`. Throws `passkeys_unavailable` if the host is another IP address.
 */
export function relyingPartyOf({ baseUrl }: Pick<Config, 'baseUrl'>): RelyingParty {
  const url = new URL(baseUrl)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) return { id: host, origin: url.origin }
  if (!isLoopback(host)) throw new Problem('passkeys_unavailable')
  url.hostname = 'localhost'
  return { id: 'localhost', origin: url.origin }
}

/** Returns whether the service can use passkeys. */
export function supportsPasskeys(config: Pick<Config, 'baseUrl'>): boolean {
  try {
    return relyingPartyOf(config) !== undefined
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
