import { invalidParam } from '../../../schema/refuse-param.ts'
import type { ModelCache } from '../../models/model-cache.ts'

/**
 * Returns the labels of vendors that a request names by label or alias. Throws `invalid_request`, which names the first
 * unknown vendor.
 */
export function labelsOf(
  models: ModelCache,
  names: readonly string[] | null | undefined,
  param: string,
): string[] {
  return (names ?? []).map((name, index) => {
    const vendor = models.vendorNamed(name)
    if (vendor) return vendor.label
    throw invalidParam(`${param}[${index}]`, 'is not the label or alias of a vendor')
  })
}
