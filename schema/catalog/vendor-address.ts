import type { CatalogueEntry } from './entry.ts'
import type { Vendor } from './vendor.ts'

/**
 * Returns the base URL of a model: the operator's URL for its vendor, otherwise the URL of the model or of the vendor.
 */
export function vendorAddress(
  { entry, vendor }: { entry: CatalogueEntry; vendor: Vendor | undefined },
  configured: string | undefined,
): string | undefined {
  return configured ?? entry.upstream.address ?? vendor?.base_url
}
