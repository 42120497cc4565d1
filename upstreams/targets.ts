import type { Config } from '../platform/config/read-config.ts'
import type { ChatEntry } from '../schema/catalog/entry.ts'
import type { Vendor } from '../schema/catalog/vendor.ts'
import type { Target } from './chat-adapter.ts'

/** A model, and what the catalogue says of its vendor. */
export interface Route {
  entry: ChatEntry
  vendor: Vendor | undefined
}

/** A customer's own credential. */
export interface OwnCredential {
  id: string
  apiKey: string
  /** Null is the vendor's own address. */
  baseUrl: string | null
  config: Record<string, unknown>
  /** Every secret among these. */
  secrets: readonly string[]
}

/**
 * The platform's own credential for a model's vendor, from the environment (`VENDOR_A_API_KEY`); undefined where
 * the operator gave none.
 */
export function platformTarget(config: Config, route: Route): Target | undefined {
  const apiKey = config.vendors.get(route.entry.provider)?.apiKey
  const baseUrl = addressOf(config, route)
  if (!apiKey || !baseUrl) return undefined
  return { vendor: route.entry.provider, baseUrl, apiKey }
}

/**
 * A customer's credential for a model's vendor. One that names a region or an endpoint leads to an address of its
 * own, which its adapter knows; the operator's address for the vendor is not meant for it.
 */
export function ownTarget(config: Config, route: Route, credential: OwnCredential): Target | undefined {
  const leadsItself = 'region' in credential.config || 'endpoint' in credential.config
  const vendorAddress = leadsItself ? route.vendor?.base_url : addressOf(config, route)
  const baseUrl = credential.baseUrl ?? vendorAddress
  if (!baseUrl) return undefined
  const { id: byokId, apiKey, config: carried, secrets } = credential
  return { vendor: route.entry.provider, baseUrl, apiKey, byokId, config: carried, secrets }
}

/** Where the vendor answers: as the environment says (`VENDOR_A_BASE_URL`), else the model, else the vendor. */
function addressOf(config: Config, { entry, vendor }: Route): string | undefined {
  return config.vendors.get(entry.provider)?.baseUrl ?? entry.upstream.address ?? vendor?.base_url
}
