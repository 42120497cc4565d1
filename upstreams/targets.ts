import type { Config } from '../platform/config/read-config.ts'
import type { Secrets } from '../platform/secrets/redact-secrets.ts'
import type { CatalogueEntry } from '../schema/catalog/entry.ts'
import type { KeyHeader } from '../schema/catalog/key-header.ts'
import type { Quirk } from '../schema/catalog/vendor.ts'
import { type VendorModel, vendorAddress } from '../schema/catalog/vendor-address.ts'
import { ownCredential } from '../schema/vendor-reports.ts'
import type { Lease } from './credential-lease.ts'

/** The address of a call, and its credential. */
export interface Target {
  vendor: string
  baseUrl: string
  apiKey: string
  /** The header that carries the API key, in OpenAI's formats; a bearer if absent. */
  key?: KeyHeader | undefined
  /** The parts of OpenAI's chat format that the vendor does not support. */
  quirks?: readonly Quirk[] | undefined
  /** The ID of the customer's own credential; absent for the platform's. */
  byokId?: string | undefined
  /** The name of the platform's credential; absent for a customer's own. */
  credentialName?: string | undefined
  /** The lease of a platform credential that is one of several, or has limits. Absent for the only one. */
  lease?: Lease | undefined
  /** Whether another credential of the platform follows, so that a failed call is not repeated with this one. */
  hasNext?: boolean | undefined
  /** The other settings of the credential, such as endpoint and deployment, region, or service account. */
  config?: Record<string, unknown> | undefined
  /**
   * The API key and every secret in `config`. A vendor may quote them in its errors, from which they are redacted.
   * Absent if the API key is the only secret.
   */
  secrets?: Secrets | undefined
}

/** A customer's own credential. */
export interface OwnCredential {
  id: string
  apiKey: string
  /** The base URL; null for the vendor's own address. */
  baseUrl: string | null
  config: Record<string, unknown>
  /** The API key and every secret in `config`. */
  secrets: Secrets
}

/**
 * Returns the target of a customer's credential for a model's vendor, or undefined if it has no address. A credential with
 * a region or an endpoint belongs to a cloud with its own address, so the operator's address for the vendor does not
 * apply.
 */
export function ownTarget(
  config: Config,
  model: VendorModel<CatalogueEntry>,
  credential: OwnCredential,
): Target | undefined {
  const usualUrl = isInCloud(credential.config) ? model.vendor?.base_url : addressOf(config, model)
  const baseUrl = credential.baseUrl ?? usualUrl
  if (!baseUrl) return undefined
  const { id: byokId, apiKey, secrets } = credential
  const dialect = isInCloud(credential.config) ? {} : dialectOf(model)
  return {
    vendor: model.entry.provider,
    baseUrl,
    apiKey,
    ...dialect,
    byokId,
    config: credential.config,
    secrets,
  }
}

/** Returns how the vendor's API differs from OpenAI's. */
export function dialectOf({ vendor }: VendorModel<CatalogueEntry>): Pick<Target, 'key' | 'quirks'> {
  return vendor?.key || vendor?.quirks ? { key: vendor.key, quirks: vendor.quirks } : {}
}

/** Whether a credential belongs to a cloud, whose address follows from its settings. */
export function isInCloud(config: Readonly<Record<string, unknown>>): boolean {
  return 'region' in config || 'endpoint' in config
}

/** Returns the vendor's address. The environment (`VENDOR_A_BASE_URL`) takes precedence over the catalogue. */
export function addressOf(config: Config, model: VendorModel<CatalogueEntry>): string | undefined {
  return vendorAddress(model, config.vendors.get(model.entry.provider)?.baseUrl)
}

/** Returns vendor and credential of the name of a breaker: the platform credential's name, or `own`. */
export function readBreakerName(name: string): { vendor: string; credential: string } {
  const [vendor = '', kind, credentialName] = name.split(' ')
  return { vendor, credential: (kind === 'platform' && credentialName) || ownCredential }
}

/** Returns the name under which breakers count the calls of a credential. */
export function breakerName({
  vendor,
  byokId,
  credentialName = 'default',
}: Pick<Target, 'vendor' | 'byokId' | 'credentialName'>): string {
  return byokId === undefined ? `${vendor} platform ${credentialName}` : `${vendor} ${byokId}`
}
