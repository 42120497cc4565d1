import { catalogueFolder } from '../domain/models/catalogue-folder.ts'
import { type Catalogue, readCatalogue } from '../domain/models/read-catalogue.ts'
import type { CatalogueEntry } from '../schema/catalog/entry.ts'
import { openRealVendors } from './real-vendors.ts'

/**
 * Reads the catalogue of a development system: CATALOG chooses it. By default, it is the demo catalogue, in which
 * each vendor whose key is set serves its real models instead of invented ones.
 */
export async function chooseCatalogue(env: NodeJS.ProcessEnv): Promise<Catalogue> {
  const read = (catalogue: string) =>
    readCatalogue(catalogueFolder({ catalogue, environment: 'development' }))
  if (env.CATALOG) return read(env.CATALOG)
  const demo = await read('demo')
  const hasKey = openRealVendors(env)
  return demo.vendors.some(({ label }) => hasKey(label))
    ? withRealModels(demo, await read('real'), hasKey)
    : demo
}

/** Replaces the models of vendors with a key. A vendor that serves no real model keeps the models of the demo. */
export function withRealModels(
  demo: Catalogue,
  real: Catalogue,
  hasKey: (label: string) => boolean,
): Catalogue {
  const serving = new Set(real.models.flatMap(servingVendors))
  const isReal = (label: string) => hasKey(label) && serving.has(label)
  const models = [
    ...real.models.filter(({ provider }) => isReal(provider)),
    ...demo.models.filter(({ provider }) => !isReal(provider)),
  ]
  const ids = new Set(models.map(({ id }) => id))
  return {
    ...demo,
    vendors: demo.vendors.map(
      vendor => (isReal(vendor.label) && real.vendors.find(({ label }) => label === vendor.label)) || vendor,
    ),
    models: models.map(entry => ({ ...entry, fallbacks: entry.fallbacks.filter(id => ids.has(id)) })),
  }
}

function servingVendors(entry: CatalogueEntry): string[] {
  const routes = entry.modality === 'chat' ? (entry.routes ?? []) : []
  return [entry.provider, ...routes.map(({ vendor }) => vendor)]
}
