import type { CatalogueEntry } from '../../../schema/catalog/entry.ts'
import type { Vendor } from '../../../schema/catalog/vendor.ts'
import type { Report } from './report.ts'

/**
 * Checks that a model put through the graph uses an address that the files allow for its vendor. The platform's
 * credential is sent there, and the holder of an operator's key must not be able to redirect it (docs/behaviour.md,
 * Operators).
 */
export function checkAddress(
  { provider, upstream: { address } }: CatalogueEntry,
  options: {
    vendors: ReadonlyMap<string, Vendor>
    models: readonly { entry: CatalogueEntry }[]
    report: Report
  },
): void {
  const { vendors, models, report } = options
  if (address === undefined || address === vendors.get(provider)?.base_url) return
  const ofVendor = models.filter(({ entry }) => entry.provider === provider)
  if (ofVendor.some(({ entry }) => entry.upstream.address === address)) return
  report(
    ['upstream', 'address'],
    `is not an address of ${provider}: new addresses must be added in the files`,
  )
}
