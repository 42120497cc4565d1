import { taskOf } from '../../domain/models/complete-entry.ts'
import { isRecord } from '../../platform/checks.ts'
import type { ModelTask } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { CatalogueFiles, WrittenEntry } from './catalogue-files.ts'
import { type ComparedParts, concernsOf, differencesOf } from './compare-entries.ts'
import { declareModel, digestOf, type Families, type ImportedParts } from './declare-model.ts'
import { describeModel, type Introduction, slugOf } from './describe-model.ts'
import {
  isText,
  type ListedModel,
  type ListedTextModel,
  type ModelList,
  type PriceList,
} from './lists/lists.ts'
import { comparePrices, printDollars, printKind } from './lists/token-prices.ts'

/** The catalogue into which models are imported. */
export interface OpenCatalogue {
  files: CatalogueFiles
  families: Families
  /** The IDs, names and aliases in use. */
  names: Set<string>
  /** The checked parts of an entry, by its ID. */
  partsOf(id: string): ComparedParts | undefined
  /**
   * Checks parts as a declaration of this vendor. Parts without a description get a valid one. Returns them completed, or
   * the first fault.
   */
  check(
    parts: ImportedParts & Partial<Introduction>,
    options: { vendor: Vendor; task: ModelTask },
  ): ComparedParts | string
}

export interface ImportOptions {
  list: ModelList
  /** The vendor in the list, and in the catalogue. */
  provider: string
  vendor: Vendor
  /** Whether a model of the list is imported. */
  isWanted(id: string): boolean
  /** Lists with which prices are compared. */
  comparedLists: readonly PriceList[]
  /** The margin in percent; undefined leaves entries their own. */
  margin: string | undefined
  /** IDs of entries whose change, or withdrawal, the operator accepts despite of a concern. */
  accepted: ReadonlySet<string>
  source: { commit: string; date: string }
}

/** The action of the import for a model, with the reason. */
export interface Finding {
  outcome: 'added' | 'changed' | 'deactivated' | 'kept' | 'held' | 'disagreeing' | 'unusable' | 'note'
  /** The catalogue ID, or the list's ID of a model that the catalogue does not have. */
  id: string
  text: string
}

/** Imports the models of one vendor into the open files, and returns a finding for each that is not unchanged. */
export function importModels(catalogue: OpenCatalogue, options: ImportOptions): Finding[] {
  const { list, provider, vendor, isWanted } = options
  const { models, unusable } = list.listingOf(provider)
  const ofVendor = catalogue.files.entries.filter(({ written }) => isOf(written, vendor))
  const byModel = Map.groupBy(ofVendor, ({ written }) => `${taskIn(written)} ${upstreamOf(written)}`)
  const withdrawn = new Map(unusable.filter(({ id }) => isWanted(id)).map(({ id, reason }) => [id, reason]))
  const findings: Finding[] = []
  for (const model of models.filter(({ id }) => isWanted(id))) {
    const entries = byModel.get(`${model.task} ${model.id}`) ?? []
    for (const entry of entries) findings.push(...renewModel(catalogue, entry, { ...options, model }))
    if (entries.length === 0) findings.push(...addModel(catalogue, { ...options, model }))
  }
  const known = new Set(ofVendor.map(({ written }) => upstreamOf(written)))
  for (const [id, reason] of withdrawn)
    if (!known.has(id)) findings.push({ outcome: 'unusable', id, text: reason })
  const listed = new Set(models.map(({ task, id }) => `${task} ${id}`))
  for (const entry of ofVendor) {
    const upstream = upstreamOf(entry.written)
    if (!isWanted(upstream) || listed.has(`${taskIn(entry.written)} ${upstream}`) || !isFrom(entry, list))
      continue
    findings.push(...withdraw(catalogue, entry, { ...options, reason: withdrawn.get(upstream) }))
  }
  return findings
}

/** A listed model as parts of an entry, which the catalogue accepts, with the source of the entry. */
interface Declared {
  parts: ImportedParts
  source: ImportOptions['source'] & { from: string; digest: string }
  /** The parts, completed. */
  checked: ComparedParts
}

/** Declares a listed model. Returns the reason if the lists disagree, or if the catalogue cannot declare it. */
function declare(
  { families, check }: OpenCatalogue,
  options: ImportOptions & { model: ListedModel; margin: string; introduction?: Introduction },
): Declared | Pick<Finding, 'outcome' | 'text'> {
  const { list, vendor, model, margin, introduction } = options
  const disagreements = isText(model) ? disagreementsOf({ ...options, model }) : []
  if (disagreements.length > 0) return { outcome: 'disagreeing', text: disagreements.join('; ') }
  const parts = declareModel(model, { vendor, families, margin })
  if (typeof parts === 'string') return { outcome: 'unusable', text: parts }
  const checked = check({ ...introduction, ...parts }, { vendor, task: model.task })
  if (typeof checked === 'string') return { outcome: 'unusable', text: checked }
  const added = margin === '0' ? {} : { margin: `${margin} %` }
  return {
    parts,
    source: { from: list.name, ...options.source, ...added, digest: digestOf(parts) },
    checked,
  }
}

/** Renews an entry. An imported one whose new figures the catalogue would refuse is withdrawn. */
function renewModel(
  catalogue: OpenCatalogue,
  entry: WrittenEntry,
  options: ImportOptions & { model: ListedModel },
): Finding[] {
  const declared = declare(catalogue, { ...options, margin: options.margin ?? marginOf(entry) })
  if ('checked' in declared) return changeModel(catalogue, entry, { ...options, ...declared })
  if (declared.outcome === 'unusable' && isFrom(entry, options.list))
    return withdraw(catalogue, entry, { ...options, reason: declared.text })
  return [{ ...declared, id: String(entry.written.id) }]
}

function changeModel(
  catalogue: OpenCatalogue,
  entry: WrittenEntry,
  options: ImportOptions & Declared,
): Finding[] {
  const { list, parts, source, checked } = options
  const id = String(entry.written.id)
  const before = catalogue.partsOf(id)
  const differences = before ? differencesOf(before, checked) : []
  const written = digestOf(entry.written)
  if (written === source.digest) return []
  if (!isFrom(entry, list) || written !== sourceOf(entry).digest) {
    // The list still says what it said at the last import, so there is nothing to decide.
    if (sourceOf(entry).digest === source.digest || differences.length === 0) return []
    return [{ outcome: 'kept', id, text: differences.join('; ') }]
  }
  const concerns = before ? concernsOf(before, checked) : []
  if (concerns.length > 0 && !options.accepted.has(id))
    return [{ outcome: 'held', id, text: concerns.join('; ') }]
  catalogue.files.replace(entry, { ...parts, source })
  return [{ outcome: 'changed', id, text: differences.join('; ') }]
}

/** Adds a model. One that the list has for free needs the operator's consent: its price may only be missing. */
function addModel(catalogue: OpenCatalogue, options: ImportOptions & { model: ListedModel }): Finding[] {
  const { files, names } = catalogue
  const { list, model, vendor, provider, margin = '0', accepted } = options
  const introduction = describeModel(model, { vendor, provider, isUsed: name => names.has(name) })
  if (typeof introduction === 'string') return [{ outcome: 'unusable', id: model.id, text: introduction }]
  const declared = declare(catalogue, { ...options, margin, introduction })
  if (!('checked' in declared)) return [{ ...declared, id: model.id }]
  const { id } = introduction
  if (isFree(model) && !accepted.has(id)) return [{ outcome: 'held', id, text: `is free in ${list.name}` }]
  const { parts, source } = declared
  files.append(`models/${slugOf(provider)}.yaml`, {
    ...introduction,
    created: options.source.date,
    ...parts,
    source,
  })
  for (const name of namesOf(introduction, vendor)) names.add(name)
  const note = noteOf(model, vendor)
  return [
    { outcome: 'added', id, text: introduction.model },
    ...(note ? [{ outcome: 'note' as const, id, text: note }] : []),
  ]
}

function isFree(model: ListedModel): boolean {
  if (!isText(model)) return model.prices.every(({ nanos }) => nanos === 0n)
  return model.prices.every(({ input, output }) => input === 0n && output === 0n)
}

/** Returns which price of the list the catalogue does not charge. */
function noteOf(model: ListedModel, vendor: Vendor): string | undefined {
  if (!isText(model))
    return model.hasInputPrice ? 'input has a price per token in the list and is not charged' : undefined
  const { cache_write: write, input } = model.prices[0]!
  if (vendor.adapter === 'anthropic-messages' || write === undefined || write === input) return undefined
  return `cache writes cost ${printDollars(write)} in the list and are charged as input`
}

function namesOf({ id, model, aliases = [] }: Introduction, vendor: Vendor): string[] {
  const name = model.slice(vendor.label.length + 1)
  return [id, model, ...aliases, ...(vendor.aliases ?? []).map(alias => `${alias}/${name}`)]
}

/** Deactivates an entry that the list no longer has, if the operator accepts it. */
function withdraw(
  { files }: OpenCatalogue,
  entry: WrittenEntry,
  { accepted, reason, list }: ImportOptions & { reason: string | undefined },
): Finding[] {
  const id = String(entry.written.id)
  if (entry.written.active === false) return []
  const text = reason ?? `is no longer in ${list.name}`
  if (!accepted.has(id)) return [{ outcome: 'held', id, text }]
  files.replace(entry, { active: false })
  return [{ outcome: 'deactivated', id, text }]
}

/** Returns each price of which the lists say different things, with both figures. */
function disagreementsOf({
  list,
  comparedLists,
  provider,
  source,
  model,
}: ImportOptions & { model: ListedTextModel }) {
  return comparedLists.flatMap(other => {
    const prices = other.pricesOf({ provider, id: model.id }, source.date)
    if (typeof prices === 'string') return [`${other.name} ${prices}`]
    const reached = prices?.filter(({ above }) => above < model.contextTokens) // no prompt is longer
    return comparePrices(model.prices, reached ?? []).map(difference => {
      const [one, two] = difference.nanos.map(printDollars)
      return `${printKind(difference)} is ${one} in ${list.name} and ${two} in ${other.name}`
    })
  })
}

function taskIn({ id }: Record<string, unknown>): string {
  return taskOf(String(id)) ?? ''
}

function isOf({ model }: Record<string, unknown>, { label }: Vendor): boolean {
  return String(model).startsWith(`${label}/`)
}

function upstreamOf({ upstream }: Record<string, unknown>): string {
  return isRecord(upstream) ? String(upstream.model) : ''
}

function sourceOf({ written: { source } }: WrittenEntry): Record<string, unknown> {
  return isRecord(source) ? source : {}
}

function isFrom(entry: WrittenEntry, { name }: ModelList): boolean {
  return sourceOf(entry).from === name
}

/** Returns the margin of an entry in percent: `10` for `10 %`. */
function marginOf(entry: WrittenEntry | undefined): string {
  const { margin } = entry ? sourceOf(entry) : {}
  return typeof margin === 'string' ? margin.replace(' %', '') : '0'
}
