import { type PlatformCredential, readCredentialsFile, singleCredential } from './credentials.ts'
import { deployment } from './deployment.ts'
import { type Issuer, readIssuersFile } from './issuers.ts'
import { limits } from './limits.ts'
import { mail } from './mail.ts'
import { media } from './media.ts'
import { url } from './parsers.ts'
import { faultsOfPayments, payments } from './payments.ts'
import { trust } from './trust.ts'

type Settings = typeof settings

/** The validated settings of a process. */
export type Config = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['parse']> } & {
  /** The platform's credentials and base URL of each vendor that the environment configures. */
  readonly vendors: ReadonlyMap<string, VendorSettings>
  /** The issuers of single sign-on, by name. */
  readonly issuers: ReadonlyMap<string, Issuer>
}

interface VendorSettings {
  /** Empty if the platform has none. */
  credentials: readonly PlatformCredential[]
  baseUrl?: string
}

/** Invalid settings, one line each. A line names the variable and never contains the value of a secret. */
class ConfigError extends Error {
  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
  }
}

/**
 * Reads every setting from `env`. Throws ConfigError, which lists all faults at once. `NODE_ENV=production`
 * refuses secrets left at their public defaults, and anything on loopback that simulates.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const { config, faults } = inspectConfig(env)
  if (!config || faults.length > 0) throw new ConfigError(faults)
  return config
}

/**
 * Reads every setting from `env` and lists all faults. `config` is undefined if a value cannot be parsed. It is returned if
 * values are valid, but refused in this environment.
 */
export function inspectConfig(env: Record<string, string | undefined>): {
  config: Config | undefined
  faults: string[]
} {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    const raw = env[setting.env] ?? ''
    try {
      values[name] = setting.parse(raw === '' ? setting.default : raw)
    } catch (error) {
      faults.push(`${setting.env} must be ${error instanceof Error ? error.message : 'valid'}`)
    }
  }
  values.vendors = readVendors(env, faults)
  values.issuers = readIssuers(env, faults)
  if (String(values.redisUrl).includes(',') && values.redisCluster !== true)
    faults.push('REDIS_URL must be one address unless REDIS_CLUSTER is true')
  const config = faults.length === 0 ? (values as unknown as Config) : undefined
  faults.push(...faultsOfPayments(values, env.NODE_ENV === 'production'))
  if (env.NODE_ENV === 'production') faults.push(...faultsInProduction(env, values))
  return { config, faults }
}

const vendorUrl = url('http:', 'https:')

/** Reads the settings of all vendors. Adds invalid URLs and an invalid file of credentials to `faults`. */
function readVendors(env: Record<string, string | undefined>, faults: string[]): Map<string, VendorSettings> {
  const vendors = new Map<string, VendorSettings>()
  for (const [label, credentials] of readPools(env, faults)) vendors.set(label, { credentials })
  for (const [variable, value] of Object.entries(env)) {
    const match = /^(VENDOR_[A-R])_(API_KEY|BASE_URL)$/.exec(variable)
    if (!match || !value) continue
    const label = match[1]!.toLowerCase()
    const known = vendors.get(label) ?? { credentials: [] }
    try {
      if (match[2] === 'BASE_URL') vendors.set(label, { ...known, baseUrl: vendorUrl(value) })
      else if (known.credentials.length === 0)
        vendors.set(label, { ...known, credentials: [singleCredential(value)] })
      else throw new Error(`unset, because VENDOR_CREDENTIALS_FILE has credentials of ${label}`)
    } catch (error) {
      faults.push(`${variable} must be ${error instanceof Error ? error.message : 'valid'}`)
    }
  }
  return vendors
}

/** Reads the file of credentials, if there is one. */
function readPools(
  { VENDOR_CREDENTIALS_FILE: path }: Record<string, string | undefined>,
  faults: string[],
): Map<string, PlatformCredential[]> {
  if (!path) return new Map()
  try {
    return readCredentialsFile(path)
  } catch (error) {
    faults.push(`VENDOR_CREDENTIALS_FILE: ${error instanceof Error ? error.message : 'invalid'}`)
    return new Map()
  }
}

/** Reads the file of issuers, if there is one. */
function readIssuers(
  { SINGLE_SIGN_ON_FILE: path, FOREIGN_JWKS_URL, NODE_ENV }: Record<string, string | undefined>,
  faults: string[],
): Map<string, Issuer> {
  if (!path) return new Map()
  if (FOREIGN_JWKS_URL) faults.push('SINGLE_SIGN_ON_FILE must be unset, because FOREIGN_JWKS_URL is set')
  try {
    const issuers = readIssuersFile(path)
    for (const issuer of issuers.values())
      if (NODE_ENV === 'production' && !issuer.url.startsWith('https://'))
        faults.push(`SINGLE_SIGN_ON_FILE: ${issuer.name}/issuer must begin with https:// in production`)
    return issuers
  } catch (error) {
    faults.push(`SINGLE_SIGN_ON_FILE: ${error instanceof Error ? error.message : 'invalid'}`)
    return new Map()
  }
}

/** How an operator obtains the value of a missing setting, if the name does not say it. */
const hints = new Map([
  ['SMTP_URL', ': the mail server that sends alerts, smtps://user:password@host'],
  ['MASTER_KEYS', ': id=base64 of 32 bytes, for example 1=$(openssl rand -base64 32)'],
])

function faultsInProduction(
  env: Record<string, string | undefined>,
  values: Readonly<Record<string, unknown>>,
): string[] {
  const faults = faultsOfSecrets(env, values)
  for (const variable of ['DATABASE_URL', 'REDIS_URL']) {
    if (!env[variable]) faults.push(`${variable} must be set in production`)
  }
  faults.push(...faultsOfMedia(env, values))
  if (values.redisUrl === 'none') faults.push('REDIS_URL must not be none in production')
  if (isMailSimulator(values.smtpUrl))
    faults.push('SMTP_URL must name a mail server in production: this is the mailbox simulator')
  if (values.allowLoopback === true) faults.push('ALLOW_LOOPBACK must be false in production')
  for (const [variable, value] of Object.entries(env)) {
    if (!/^(VENDOR_[A-R]_BASE_URL|FOREIGN_JWKS_URL)$/.test(variable) || !value) continue
    if (!/^https:\/\//i.test(value)) faults.push(`${variable} must begin with https:// in production`)
  }
  return faults
}

/** Checks that each setting with a public default is set, and to another value. */
function faultsOfSecrets(
  env: Record<string, string | undefined>,
  values: Readonly<Record<string, unknown>>,
): string[] {
  const faults: string[] = []
  for (const [name, setting] of Object.entries(settings)) {
    if (!('secret' in setting)) continue
    if (!env[setting.env])
      faults.push(`${setting.env} must be set in production${hints.get(setting.env) ?? ''}`)
    else if (isPublic(values[name], setting.parse(setting.default)))
      faults.push(`${setting.env} must not be the development default in production`)
  }
  return faults
}

/** Checks that media has a storage, and that clients and vendors reach it over TLS. */
function faultsOfMedia(
  env: Record<string, string | undefined>,
  values: Readonly<Record<string, unknown>>,
): string[] {
  const faults: string[] = []
  if (!env.MEDIA_FOLDER && !env.MEDIA_S3_BUCKET)
    faults.push('MEDIA_S3_BUCKET or MEDIA_FOLDER must be set in production')
  const isStored = values.mediaBucket !== '' || values.mediaFolder !== 'none'
  if (isStored && !/^https:\/\//i.test(env.MEDIA_URL ?? ''))
    faults.push('MEDIA_URL must be set in production, and begin with https://')
  return faults
}

/** Whether an address is on this machine and none of its ports for mail servers. */
function isMailSimulator(smtpUrl: unknown): boolean {
  if (typeof smtpUrl !== 'string' || smtpUrl === 'none') return false
  const { hostname, port } = new URL(smtpUrl)
  return /^(127\.|localhost$|\[::1\]$)/i.test(hostname) && !['', '25', '465', '587'].includes(port)
}

/**
 * Whether a secret is the public default. For a list of secrets or keys: whether one of them is. A key may have any ID and
 * notation.
 */
function isPublic(secret: unknown, published: unknown): boolean {
  if (Array.isArray(secret) && Array.isArray(published)) return secret.some(each => published.includes(each))
  if (!(secret instanceof Map) || !(published instanceof Map)) return secret === published
  const keysOf = (pairs: Map<string, string>) => [...pairs.values()].map(key => Buffer.from(key, 'base64'))
  return keysOf(secret).some(key => keysOf(published).some(known => known.equals(key)))
}

/**
 * Every setting: environment variable, doc, default, parser. `.env.example` and docs/settings.md are
 * generated from this list, and `readConfig` reads it at start: nothing else looks at the environment.
 */
export const settings = { ...deployment, ...media, ...trust, ...payments, ...limits, ...mail }
