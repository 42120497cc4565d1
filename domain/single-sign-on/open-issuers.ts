import { createRemoteJWKSet, customFetch as fetchKeys, type JWTVerifyGetKey } from 'jose'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import type { Clock } from '../../platform/clock.ts'
import type { Issuer } from '../../platform/config/issuers.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import { boundedFetch, issuerTimeoutSeconds } from './bounded-fetch.ts'

/** A discovered issuer. */
export interface Discovered {
  /** The client of the issuer. It verifies the signatures of ID tokens. */
  client: Configuration
  /** Finds the public key of a logout token. */
  keys: JWTVerifyGetKey
}

/** The issuers of single sign-on in a process, with their cached discovery documents and keys. */
export interface Issuers {
  /** Returns an issuer by its name. Throws `issuer_not_found`. */
  find(name: string): Issuer
  /** Discovers an issuer, or returns the cached result. Throws `issuer_unavailable`. */
  discover(issuer: Issuer): Promise<Discovered>
}

/** How long a discovery is used, and how long a failed one is not repeated, in milliseconds. */
const discoveryTtlMs = 3_600_000
const failureTtlMs = 5_000

/** How long an issuer's keys are used, and the minimum interval between two fetches, in milliseconds. */
const keysTtlMs = 600_000
const keysCooldownMs = 10_000

/** Opens the issuers of the settings. Fetches nothing yet. */
export function openIssuers({ issuers }: Pick<Config, 'issuers'>, clock: Clock): Issuers {
  const cached = new Map<string, { result: Promise<Discovered>; endsAt: number }>()

  function remember(name: string, result: Promise<Discovered>): void {
    cached.set(name, { result, endsAt: clock.monotonic() + discoveryTtlMs })
    result.catch(() => cached.set(name, { result, endsAt: clock.monotonic() + failureTtlMs }))
  }

  return {
    find(name) {
      const issuer = issuers.get(name)
      if (issuer) return issuer
      throw new Problem('issuer_not_found')
    },
    discover(issuer) {
      const known = cached.get(issuer.name)
      if (known && known.endsAt > clock.monotonic()) return known.result
      const result = discover(issuer)
      remember(issuer.name, result)
      return result
    },
  }
}

async function discover(issuer: Issuer): Promise<Discovered> {
  try {
    const client = await discoverClient(issuer)
    const { issuer: url, jwks_uri: jwksUrl } = client.serverMetadata()
    if (url !== issuer.url) throw new Error(`It states the issuer ${url.slice(0, 200)}`)
    if (jwksUrl === undefined) throw new Error('It has no jwks_uri')
    const keys = createRemoteJWKSet(new URL(jwksUrl), {
      timeoutDuration: issuerTimeoutSeconds * 1000,
      cooldownDuration: keysCooldownMs,
      cacheMaxAge: keysTtlMs,
      [fetchKeys]: boundedFetch,
    })
    return { client, keys }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Problem('issuer_unavailable', { cause, internal: `Discovery of ${issuer.name}: ${reason}` })
  }
}

/**
 * Discovers an issuer. The secret is sent in the body if the issuer supports it, because encodings of the header differ
 * among issuers.
 */
function discoverClient(issuer: Issuer): Promise<Configuration> {
  const { url, clientId, clientSecret } = issuer
  const isPlain = url.startsWith('http:') // settings refuse it in production
  return discovery(
    new URL(url),
    clientId,
    undefined,
    (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const authenticate = methods.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic
      authenticate(clientSecret)(server, client, body, headers)
    },
    {
      timeout: issuerTimeoutSeconds,
      [customFetch]: boundedFetch,
      execute: isPlain ? [allowInsecureRequests, enableNonRepudiationChecks] : [enableNonRepudiationChecks],
    },
  )
}
