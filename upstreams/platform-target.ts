import type { Config } from '../platform/config/read-config.ts'
import type { ChatEntry } from '../schema/catalog/entry.ts'
import type { Vendor } from '../schema/catalog/vendor.ts'
import type { Target } from './chat-adapter.ts'

/**
 * The platform's own credential for a model's vendor, from the environment (`VENDOR_A_API_KEY`,
 * `VENDOR_A_BASE_URL`); undefined where the operator gave none. The address is the environment's, else the model's,
 * else the vendor's.
 */
export function platformTarget(
  config: Config,
  entry: ChatEntry,
  vendor: Vendor | undefined,
): Target | undefined {
  const given = config.vendors.get(entry.provider)
  const baseUrl = given?.baseUrl ?? entry.upstream.address ?? vendor?.base_url
  if (!given?.apiKey || !baseUrl) return undefined
  return { vendor: entry.provider, baseUrl, apiKey: given.apiKey }
}
