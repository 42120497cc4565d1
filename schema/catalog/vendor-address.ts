import type { CatalogueEntry, ChatEntry } from './entry.ts'
import type { Vendor } from './vendor.ts'

/** A model and its vendor, as the catalogue describes them. */
export interface VendorModel<Entry extends CatalogueEntry = ChatEntry> {
  entry: Entry
  vendor: Vendor | undefined
}

/**
 * Returns the base URL of a model: the operator's URL for its vendor, otherwise the URL of the model or of the vendor.
 */
export function vendorAddress(
  { entry, vendor }: VendorModel<CatalogueEntry>,
  configured: string | undefined,
): string | undefined {
  return configured ?? entry.upstream.address ?? vendor?.base_url
}
