import { join } from 'node:path'
import type { Ajv } from 'ajv'
import type { CatalogueEntry, ParameterSchema } from '../../schema/catalog/entry.ts'
import { type Vendor, vendorLabels } from '../../schema/catalog/vendor.ts'
import { checkParameters, checkReferences } from './checks/check-entry.ts'
import { openShapes, type Shapes } from './checks/check-shapes.ts'
import { checkVendor } from './checks/check-vendor.ts'
import type { Report } from './checks/report.ts'
import { openValidator } from './compile-parameters.ts'
import { readDeclaration } from './read-declaration.ts'
import { Faults, type Located, openYamlFolder, readYaml, reportOn, type YamlFolder } from './read-yaml.ts'

export interface Catalogue {
  vendors: Vendor[]
  models: CatalogueEntry[]
  /** Every supported chat parameter. Chat models support subsets of them. */
  chatParameters: ParameterSchema
}

/** The folder with the families, queues and parameters of catalogues that have none of their own. */
const sharedFolder = join(import.meta.dirname, '../../schema/catalog')

/**
 * Reads and checks the catalogue in a folder: `vendors.yaml`, `parameters/chat.yaml` and every file of `models/`. If the
 * folder lacks families, queues or parameters, those of `schema/catalog` apply. Throws one Error that
 * lists all faults, one per line, with file and line.
 */
export async function readCatalogue(folder: string): Promise<Catalogue> {
  return readCatalogueIn(await openCatalogueYaml(folder))
}

/** Reads and checks the catalogue in open files. Throws the same. */
export function readCatalogueIn(files: YamlFolder): Catalogue {
  const faults = new Faults()
  const shapes = openShapes()
  const vendors = readVendors({ faults, shapes }, readYaml(files, 'vendors.yaml', faults))
  const validator = openValidator()
  const chatParameters = readChatParameters(files, { faults, shapes, validator })
  faults.raiseIfAny() // every model depends on them

  const context = { shapes, validator, vendors, chatParameters }
  const read = modelsIn(files, faults).flatMap(located => {
    const report = reportOn(faults, located)
    const entry = readDeclaration(context, located.value, report)
    return entry ? [{ entry, report }] : []
  })
  checkReferences(read)
  faults.raiseIfAny()
  return { vendors: [...vendors.values()], models: read.map(({ entry }) => entry), chatParameters }
}

/** Reads the maps of one file of a catalogue by name, such as the flags of families of chat models. */
export function readMaps(files: YamlFolder, file: string): Record<string, unknown> {
  const faults = new Faults()
  const { parts } = readYaml(files, file, faults)
  faults.raiseIfAny()
  return Object.fromEntries([...parts].map(([name, { value }]) => [name, value]))
}

/** Parses the files of a catalogue. Throws one Error that lists every fault of the YAML, with file and line. */
export async function openCatalogueYaml(folder: string): Promise<YamlFolder> {
  const faults = new Faults()
  const own = await openYamlFolder(folder, faults)
  const isMissing = (name: string) => isShared(name) && !own.has(name)
  const files = new Map([...(await openYamlFolder(sharedFolder, faults, isMissing)), ...own])
  faults.raiseIfAny()
  return files
}

function isShared(name: string): boolean {
  return name !== 'vendors.yaml' && !name.startsWith('models/')
}

function readChatParameters(
  files: YamlFolder,
  { faults, shapes, validator }: { faults: Faults; shapes: Shapes; validator: Ajv },
): ParameterSchema {
  const located = readYaml(files, 'parameters/chat.yaml', faults)
  const { value } = located
  const report = reportOn(faults, located)
  if (!shapes.parameters(value, report)) return faults.raise()
  checkParameters({ validator }, value, ([, ...path], message) => report(path, message))
  return value
}

/** The entries of every file in `models/`, each of which is a list. */
function modelsIn(files: YamlFolder, faults: Faults): Located[] {
  const names = [...files.keys()].filter(name => name.startsWith('models/'))
  return names.flatMap(name => {
    const file = readYaml(files, name, faults)
    if (!Array.isArray(file.value)) faults.add(file, [], 'must be a list of models')
    return Array.isArray(file.value) ? [...file.parts.values()] : []
  })
}

/** Reads `vendors.yaml`, which must have each of the 18 labels and no other. */
function readVendors(
  { faults, shapes }: { faults: Faults; shapes: Shapes },
  file: Located,
): Map<string, Vendor> {
  const vendors = new Map<string, Vendor>()
  for (const [key, { value }] of file.parts) {
    const label = String(key)
    const report = reportOn(faults, file)
    if (!vendorLabels.includes(label)) report([label], 'is not one of the labels vendor_a to vendor_r')
    const reportHere: Report = (path, message) => report([label, ...path], message)
    if (shapes.vendor(value, reportHere)) {
      checkVendor(value, reportHere)
      vendors.set(label, { label, ...value })
    }
  }
  checkVendorAliases(vendors, (label, index, message) =>
    reportOn(faults, file)([label, 'aliases', index], message),
  )
  const missing = vendorLabels.filter(label => !file.parts.has(label))
  if (missing.length > 0) faults.add(file, [], `${missing.join(', ')}: missing`)
  return vendors
}

/** Checks that no alias of a vendor is a label or an alias of another vendor. */
function checkVendorAliases(
  vendors: ReadonlyMap<string, Vendor>,
  report: (label: string, index: number, message: string) => void,
): void {
  const owners = new Map(vendorLabels.map(label => [label, label]))
  for (const { label, aliases = [] } of vendors.values()) {
    aliases.forEach((alias, index) => {
      const owner = owners.get(alias) ?? label
      if (owner !== label) report(label, index, `${alias} already names ${owner}`)
      owners.set(alias, label)
    })
  }
}
