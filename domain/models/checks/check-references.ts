import type { CatalogueEntry } from '../../../schema/catalog/entry.ts'
import type { Report } from '../reading/faults.ts'

/** An entry as read, and where to tell its faults. */
export interface ReadEntry {
  entry: CatalogueEntry
  report: Report
}

/** Ids and model names are given once, and fallbacks lead to other active models of the same task. */
export function checkReferences(read: readonly ReadEntry[]): void {
  const byId = new Map<string, CatalogueEntry>()
  const byModel = new Map<string, CatalogueEntry>()
  for (const { entry, report } of read) {
    if (byId.has(entry.id)) report(['id'], `${entry.id} is given twice`)
    const namesake = byModel.get(entry.model)
    if (namesake) report(['model'], `${entry.model} is the model of ${namesake.id} already`)
    byId.set(entry.id, entry)
    byModel.set(entry.model, entry)
  }
  for (const { entry, report } of read) {
    entry.fallbacks.forEach((id, index) => {
      const fault = faultOf(entry, byId.get(id))
      if (fault) report(['fallbacks', index], `${id} ${fault}`)
    })
  }
}

function faultOf(entry: CatalogueEntry, fallback: CatalogueEntry | undefined): string | undefined {
  if (!fallback) return 'is not in the catalogue'
  if (fallback.id === entry.id) return 'is the model itself'
  if (fallback.task !== entry.task) return `is for ${fallback.task}, not for ${entry.task}`
  return fallback.active ? undefined : 'is not active'
}
