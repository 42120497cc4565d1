import type { Config } from '../../platform/config/read-config.ts'
import { type Finding, findingsOf, type Result } from './check.ts'

/**
 * Reports invalid settings, settings that a process refuses in production, and settings that it accepts although they are
 * unsafe there. `faults` are the lines of `inspectConfig`; `config` is undefined if a value cannot be parsed.
 */
export function checkSettings(
  environment: string | undefined,
  { config, faults }: { config: Config | undefined; faults: readonly string[] },
): Result {
  const refused = faults.map(fault => ({ fault, remedy: 'docs/settings.md lists all settings.' }))
  const findings = [...environmentFaults(environment), ...refused, ...(config ? unsafeSettings(config) : [])]
  return { findings, summary: 'valid for production' }
}

function environmentFaults(environment: string | undefined): Finding[] {
  if (environment === 'production') return []
  return [
    {
      fault: `NODE_ENV is ${environment || 'not set'}: processes start with development secrets and simulators`,
      remedy: 'Set NODE_ENV=production.',
    },
  ]
}

function unsafeSettings(config: Config): Finding[] {
  const { baseUrl, trustedProxies, stripeSecretKey, foreignJwksUrl, foreignAudience, vendors } = config
  const hasTls = baseUrl.startsWith('https:')
  return findingsOf([
    [
      !hasTls,
      'BASE_URL is not https: API keys and passwords cross the network unencrypted',
      'Put a proxy with TLS in front of the edges, and set BASE_URL to its address.',
    ],
    [
      hasTls && trustedProxies.length === 0,
      'TRUSTED_PROXIES is empty: all clients seem to have the address of the proxy, which breaks IP allow lists and limits per address',
      "Set it to the proxy's addresses.",
    ],
    [
      trustedProxies.some(range => range.endsWith('/0')),
      'TRUSTED_PROXIES contains every address: any client can claim any address',
      "Set it to the proxy's addresses.",
    ],
    [
      stripeSecretKey.includes('_test_'),
      'STRIPE_SECRET_KEY is a test key: top-ups credit accounts, and no money is paid',
      'Use the live key, sk_live_… or rk_live_….',
    ],
    [
      foreignJwksUrl !== '' && foreignAudience === '',
      'FOREIGN_AUDIENCE is empty: tokens that the issuer made for other applications are accepted',
      'Set it to the audience of Rubicon.',
    ],
    [
      ![...vendors.values()].some(({ credentials }) => credentials.length > 0),
      'no vendor has a credential: only accounts with their own credentials can call models',
      'Set VENDOR_A_API_KEY or another one, or VENDOR_CREDENTIALS_FILE.',
    ],
  ])
}
