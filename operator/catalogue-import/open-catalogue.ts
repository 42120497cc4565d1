import { openShapes } from '../../domain/models/checks/check-shapes.ts'
import type { Report } from '../../domain/models/checks/report.ts'
import { openValidator } from '../../domain/models/compile-parameters.ts'
import { openCatalogueYaml, readCatalogueIn, readMaps } from '../../domain/models/read-catalogue.ts'
import { type DeclarationContext, readDeclaration } from '../../domain/models/read-declaration.ts'
import { isRecord } from '../../platform/checks.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { printPath } from '../../schema/value-path.ts'
import { openCatalogueFiles } from './catalogue-files.ts'
import type { ComparedParts } from './compare-entries.ts'
import type { OpenCatalogue } from './import-models.ts'

/** A catalogue that is open for an import, with its vendors. */
export interface ImportCatalogue extends OpenCatalogue {
  vendors: Vendor[]
}

/** Opens the catalogue in a folder. Throws an Error that lists its faults, one per line, with file and line. */
export async function openCatalogue(folder: string): Promise<ImportCatalogue> {
  const yaml = await openCatalogueYaml(folder)
  const { vendors, models, chatParameters } = readCatalogueIn(yaml)
  const families = readMaps(yaml, familiesFile)
  const maps = referredFiles.map(name => [name, readMaps(yaml, name)] as const)
  const byId = new Map(models.map(entry => [entry.id, entry]))
  const byLabel = new Map(vendors.map(vendor => [vendor.label, vendor]))
  const context = { shapes: openShapes(), validator: openValidator(), vendors: byLabel, chatParameters }
  const references = new Map([[familiesFile, families], ...maps])
  return {
    vendors,
    files: openCatalogueFiles(folder, yaml),
    families,
    names: new Set(models.flatMap(({ id, model, known_as = [] }) => [id, model, ...known_as])),
    partsOf: id => byId.get(id),
    check: (parts, { vendor, task }) =>
      checkParts(context, {
        ...{ ...probe, id: `${task}.probe`, model: `${vendor.label}/probe` },
        ...parts,
        ...(parts.chat && { chat: followReference(parts.chat, references) }),
        ...(parts.parameters && { parameters: followReference(parts.parameters, references) }),
      }),
  }
}

const familiesFile = 'families.yaml'
/** The files that imported entries refer to, besides the families. */
const referredFiles = ['audio', 'embeddings', 'images', 'videos'].map(name => `parameters/${name}.yaml`)

/** Checks imported parts like a declaration of a file. Returns them completed, or the first fault. */
function checkParts(context: DeclarationContext, declared: object): ComparedParts | string {
  const faults: string[] = []
  const report: Report = (path, message) => void faults.push(`${printPath(path)} ${message}`)
  const entry = readDeclaration(context, structuredClone(declared), report)
  return faults[0] ?? entry ?? 'is not valid'
}

/** The parts of a declaration that an import writes only into a new entry. */
const probe = { name: 'Probe', description: 'A probe', created: '2026-01-01' }

/** Returns a map with the map that its `$ref` names, `../families.yaml#/gemini`. */
function followReference(
  { $ref, ...own }: Record<string, unknown>,
  references: ReadonlyMap<string, Record<string, unknown>>,
): Record<string, unknown> {
  const [path = '', name = ''] = String($ref).replace('../', '').split('#/')
  const found = references.get(path)?.[name]
  return { ...(isRecord(found) && found), ...own }
}
