import type { CatalogueEntry } from '../../../schema/catalog/entry.ts'
import type { Vendor } from '../../../schema/catalog/vendor.ts'
import type { Report } from './report.ts'

/**
 * Checks that a model that is put through the graph is called where the files let its vendor be called: the platform's
 * credential goes there, which whoever holds the key of an operator must not have (docs/behaviour.md, Operators).
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
  report(['upstream', 'address'], `is not an address of ${provider}: a new one is named in the files`)
}
