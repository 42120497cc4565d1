import type { CatalogueEntry, ChatEntry } from '../../schema/catalog/entry.ts'
import { chatAdapters, type Vendor } from '../../schema/catalog/vendor.ts'
import type { Report } from './checks/report.ts'

/**
 * Returns the entries with which a chat model can be called: its own, then one for each of its routes, with the vendor,
 * the upstream and the prices of the route. A route whose vendor has no wire format for chat is left out.
 */
export function routeEntries(
  entry: ChatEntry,
  vendorOf: (label: string) => Vendor | undefined,
): readonly ChatEntry[] {
  if (!entry.routes) return [entry]
  const others = entry.routes.flatMap(({ vendor, upstream, prices = entry.prices }) => {
    const wanted = upstream.adapter ?? vendorOf(vendor)?.adapter
    const adapter = chatAdapters.find(name => name === wanted)
    return adapter ? [{ ...entry, provider: vendor, upstream: { ...upstream, adapter }, prices }] : []
  })
  return [entry, ...others]
}

/** Returns the entries with which a model of any modality can be called, one for each vendor that serves it. */
export function callableEntries(
  entry: CatalogueEntry,
  vendorOf: (label: string) => Vendor | undefined,
): readonly CatalogueEntry[] {
  return entry.modality === 'chat' ? routeEntries(entry, vendorOf) : [entry]
}

/**
 * Checks that each route names another vendor with a wire format for chat, and passes its entry to `check`, with a
 * function that reports faults within the route.
 */
export function checkRoutes(
  entry: ChatEntry,
  vendors: ReadonlyMap<string, Vendor>,
  report: Report,
  check: (route: ChatEntry, report: Report) => void,
): void {
  const seen = new Set([entry.provider])
  entry.routes?.forEach((route, index) => {
    const at: Report = (path, message) => report(['routes', index, ...path], message)
    const [, found] = routeEntries({ ...entry, routes: [route] }, label => vendors.get(label))
    if (seen.has(route.vendor)) at(['vendor'], `${route.vendor} already serves the model`)
    else if (!vendors.has(route.vendor)) at(['vendor'], `${route.vendor} is not a vendor of vendors.yaml`)
    else if (!found) at(['upstream', 'adapter'], `must be one of ${chatAdapters.join(', ')}`)
    else check(found, at)
    seen.add(route.vendor)
  })
}
