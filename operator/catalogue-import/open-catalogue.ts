import { checkChatFlags } from '../../domain/models/checks/check-entry.ts'
import { checkPrices } from '../../domain/models/checks/check-prices.ts'
import { openShapes } from '../../domain/models/checks/check-shapes.ts'
import { printPath, type Report } from '../../domain/models/checks/report.ts'
import { completeChat } from '../../domain/models/complete-entry.ts'
import { readCatalogue, readFamilies } from '../../domain/models/read-catalogue.ts'
import { isRecord } from '../../platform/checks.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { openCatalogueFiles } from './catalogue-files.ts'
import type { ComparedParts } from './compare-entries.ts'
import type { Families, ImportedParts } from './declare-model.ts'
import type { OpenCatalogue } from './import-models.ts'

/** A catalogue that is open for an import, with its vendors. */
export interface ImportCatalogue extends OpenCatalogue {
  vendors: Vendor[]
}

/** Opens the catalogue in a folder. Throws an Error that lists its faults, one per line, with file and line. */
export async function openCatalogue(folder: string): Promise<ImportCatalogue> {
  const { vendors, models, chatParameters } = await readCatalogue(folder)
  const [files, families] = await Promise.all([openCatalogueFiles(folder), readFamilies(folder)])
  const byId = new Map(models.map(entry => [entry.id, entry]))
  const context = { vendors: new Map(vendors.map(vendor => [vendor.label, vendor])), chatParameters }
  return {
    vendors,
    files,
    families,
    names: new Set(models.flatMap(({ id, model, known_as = [] }) => [id, model, ...known_as])),
    partsOf(id) {
      const entry = byId.get(id)
      return entry?.modality === 'chat' ? entry : undefined
    },
    check: (parts, vendor) => checkParts(context, { parts, vendor, families }),
  }
}

/** Checks imported parts like a declaration of a file. Returns them completed, or the first fault. */
function checkParts(
  context: Omit<Parameters<typeof completeChat>[0], 'report'>,
  { parts, vendor, families }: { parts: ImportedParts; vendor: Vendor; families: Families },
): ComparedParts | string {
  const faults: string[] = []
  const report: Report = (path, message) => void faults.push(`${printPath(path)} ${message}`)
  const declared: unknown = structuredClone({
    ...probe,
    ...parts,
    model: `${vendor.label}/probe`,
    chat: followReference(parts.chat, families),
  })
  const entry = openShapes().chat(declared, report)
    ? completeChat({ ...context, report }, declared)
    : undefined
  if (entry) {
    checkPrices(entry, report)
    checkChatFlags(context, entry, report)
  }
  return faults[0] ?? entry ?? 'is not valid'
}

/** The parts of a declaration that an import does not check. */
const probe = { id: 'chat.probe', name: 'Probe', description: 'A probe', created: '2026-01-01' }

function followReference(
  { $ref, ...flags }: Record<string, unknown>,
  families: Families,
): Record<string, unknown> {
  const family = families[String($ref).split('#/')[1] ?? '']
  return { ...(isRecord(family) && family), ...flags }
}
