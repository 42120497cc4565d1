import { type Vendor, vendorLabels } from '../../../schema/catalog/vendor.ts'
import type { Shapes } from '../checks/open-shapes.ts'
import type { Faults } from './faults.ts'
import { type Located, reportOn } from './read-yaml.ts'

/** Reads `vendors.yaml`: the 18 labels of the contract, each once, and no other. */
export function readVendors(
  { faults, shapes }: { faults: Faults; shapes: Shapes },
  file: Located,
): Map<string, Vendor> {
  const vendors = new Map<string, Vendor>()
  for (const [key, { value }] of file.parts) {
    const label = String(key)
    const report = reportOn(faults, file)
    if (!vendorLabels.includes(label)) report([label], 'is not one of the labels vendor_a to vendor_r')
    if (shapes.vendor(value, (path, message) => report([label, ...path], message))) {
      vendors.set(label, { label, ...value })
    }
  }
  const missing = vendorLabels.filter(label => !file.parts.has(label))
  if (missing.length > 0) faults.add(file, [], `${missing.join(', ')}: missing`)
  return vendors
}
