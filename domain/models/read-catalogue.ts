import type { Ajv } from 'ajv'
import { type CatalogueEntry, modalityOfTask, type ParameterSchema } from '../../schema/catalog/entry.ts'
import { type Vendor, vendorLabels } from '../../schema/catalog/vendor.ts'
import { checkChatFlags, checkParameters, checkReferences, type ReadEntry } from './check-entry.ts'
import { checkMediaCall } from './check-media-call.ts'
import { checkPrices } from './check-prices.ts'
import { openShapes, type Shapes } from './check-shapes.ts'
import { openValidator } from './compile-parameters.ts'
import { completeChat, completeEmbedding, completeMedia, taskOf } from './complete-entry.ts'
import {
  Faults,
  type Located,
  openYamlFolder,
  type Report,
  readYaml,
  reportOn,
  type YamlFolder,
} from './read-yaml.ts'

export interface Catalogue {
  vendors: Vendor[]
  models: CatalogueEntry[]
}

/**
 * Reads and checks the catalogue in a folder (`schema/catalog`): `vendors.yaml`, `parameters/chat.yaml` and
 * every file of `models/`. Throws one Error whose message lists all faults, a line each, by file and line.
 */
export async function readCatalogue(folder: string): Promise<Catalogue> {
  const faults = new Faults()
  const files = await openYamlFolder(folder, faults)
  faults.raiseIfAny() // what is not YAML would only lead to more faults
  const shapes = openShapes()
  const vendors = readVendors({ faults, shapes }, readYaml(files, 'vendors.yaml', faults))
  const chatParameters = readChatParameters(files, { faults, shapes })
  faults.raiseIfAny() // every model depends on these

  const context = { faults, shapes, validator: openValidator(), vendors, chatParameters }
  const read = modelsIn(files, faults).flatMap(located => readEntry(context, located) ?? [])
  checkReferences(read)
  faults.raiseIfAny()
  return { vendors: [...vendors.values()], models: read.map(({ entry }) => entry) }
}

function readChatParameters(
  files: YamlFolder,
  { faults, shapes }: { faults: Faults; shapes: Shapes },
): ParameterSchema {
  const located = readYaml(files, 'parameters/chat.yaml', faults)
  const { value } = located
  return shapes.parameters(value, reportOn(faults, located)) ? value : faults.raise()
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

interface Reading {
  faults: Faults
  shapes: Shapes
  validator: Ajv
  vendors: ReadonlyMap<string, Vendor>
  chatParameters: ParameterSchema
}

/** Reads one entry and checks it by itself; undefined where it could not be completed. */
function readEntry(context: Reading, located: Located): ReadEntry | undefined {
  const report = reportOn(context.faults, located)
  const entry = declaredEntry(context, located.value, report)
  if (!entry) return undefined
  checkParameters(context, entry.parameters, report)
  checkPrices(entry, report)
  if (entry.modality === 'chat') checkChatFlags(context, entry, report)
  else checkMediaCall(entry, report)
  return { entry, report }
}

function declaredEntry(context: Reading, value: unknown, report: Report): CatalogueEntry | undefined {
  const task = taskOf(idOf(value))
  if (task === 'chat') {
    return context.shapes.chat(value, report) ? completeChat({ ...context, report }, value) : undefined
  }
  if (task === 'text-embedding') {
    return context.shapes.embedding(value, report)
      ? completeEmbedding({ ...context, report }, value)
      : undefined
  }
  if (task) {
    return context.shapes.media(value, report) ? completeMedia({ ...context, report }, value) : undefined
  }
  report(['id'], `must be a task, a dot and a slug; the tasks are ${Object.keys(modalityOfTask).join(', ')}`)
  return undefined
}

function idOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : ''
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
    if (shapes.vendor(value, (path, message) => report([label, ...path], message))) {
      vendors.set(label, { label, ...value })
    }
  }
  const missing = vendorLabels.filter(label => !file.parts.has(label))
  if (missing.length > 0) faults.add(file, [], `${missing.join(', ')}: missing`)
  return vendors
}
