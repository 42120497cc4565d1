import type { CatalogueEntry } from './entry.ts'
import type { Vendor } from './vendor.ts'

/** Returns where a model is called: at the operator's address for its vendor, else at the model's or the vendor's own. */
export function vendorAddress(
  { entry, vendor }: { entry: CatalogueEntry; vendor: Vendor | undefined },
  configured: string | undefined,
): string | undefined {
  return configured ?? entry.upstream.address ?? vendor?.base_url
}
