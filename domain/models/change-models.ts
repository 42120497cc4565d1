import { isDeepStrictEqual } from 'node:util'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry, ChatEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { Problem } from '../../schema/errors.ts'
import { printPath, type ValuePath } from '../../schema/value-path.ts'
import { type ActionMark, type ActionTarget, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { catalogueTopic } from './catalogue-changes.ts'
import { checkAddress } from './checks/check-address.ts'
import { checkReferences, type ReadEntry } from './checks/check-entry.ts'
import { openShapes } from './checks/check-shapes.ts'
import type { Report } from './checks/report.ts'
import { openValidator } from './compile-parameters.ts'
import { type ModelRecord, modelColumns } from './model-records.ts'
import { routeEntries } from './model-routes.ts'
import { declaredId, readDeclaration } from './read-declaration.ts'
import {
  type LockedCatalogue,
  lockCatalogue,
  raiseRevision,
  removeModels,
  writeModels,
} from './write-models.ts'

/** One change of a model by an operator. */
export type ModelChange = (PutModel | UpdateModel | RemoveModel) & {
  /** The path in the input, such as `changes[0].put`. */
  at: ValuePath
  /** The `ModelRecord.revision` that the operator has seen; 0 for a model that is not in the catalogue. */
  expectedRevision: number
}

/** Adds a model or replaces its entry. */
interface PutModel {
  kind: 'put'
  /** The full entry in the format of the catalogue's files, as plain JSON. */
  entry: unknown
}

/** Changes the given fields. */
interface UpdateModel {
  kind: 'update'
  id: string
  isActive?: boolean | undefined
  isPopular?: boolean | undefined
}

interface RemoveModel {
  kind: 'remove'
  id: string
}

/** Maximum number of models: every process keeps the whole catalogue in memory. */
const maxModels = 5_000

/** Maximum number of faults that are reported at once. */
const maxFaults = 100

/**
 * Changes models of the catalogue, all or none, in one transaction with `action`, the row of the audit log. The rules
 * of the files (`readDeclaration`, `checkReferences`) apply to the catalogue after all changes. Changed models then
 * belong to the graph (docs/behaviour.md, Operators). Resolves to the models that were put or updated, in the order
 * of the changes.
 *
 * Throws all faults at once: `validation_failed` for an invalid entry, `model_not_found`, and `conflict` if a model
 * is not at its expected revision.
 */
export async function changeModels(
  { sql, clock, news }: Pick<Context, 'sql' | 'clock' | 'news'>,
  {
    changes,
    action,
    operator,
  }: {
    changes: readonly ModelChange[]
    action?: ActionMark | undefined
    /** The operator's name, for the history. */
    operator?: string | undefined
  },
): Promise<ModelRecord[]> {
  const now = new Date(clock.now())
  const records = await sql.begin(async transaction => {
    const locked = await lockCatalogue(transaction)
    const { entries, removed, ids, fields } = applyTo(await readCurrent(transaction, locked), changes)
    if (entries.length + removed.length > 0) {
      const revising = { revision: locked.revision + 1n, now, origin: 'graph', operator } as const
      await removeModels(transaction, removed, revising)
      if (entries.length > 0) await writeModels(transaction, entries, revising)
      await raiseRevision(transaction, revising)
    }
    if (action) await endAction({ sql: transaction }, action, targetOf(changes), fields)
    const rows = await transaction<ModelRecord[]>`
      select ${modelColumns(transaction)} from models where id = any(${ids}::text[]) and not is_removed`
    const byId = new Map(rows.map(row => [row.entry.id, row]))
    return ids.flatMap(id => byId.get(id) ?? [])
  })
  void news.publish(catalogueTopic, {}) // a hint: watchers also read every second
  return records
}

/** The catalogue before a change. */
interface Current extends Pick<LockedCatalogue, 'chatParameters'> {
  vendors: ReadonlyMap<string, Vendor>
  models: ReadonlyMap<string, Pick<ModelRecord, 'entry' | 'revision'>>
}

async function readCurrent(sql: SqlTransaction, { chatParameters }: LockedCatalogue): Promise<Current> {
  const vendors = await sql<{ data: Vendor }[]>`select data from vendors`
  const models = await sql<ModelRecord[]>`select ${modelColumns(sql)} from models where not is_removed`
  return {
    chatParameters,
    vendors: new Map(vendors.map(({ data }) => [data.label, data])),
    models: new Map(models.map(model => [model.entry.id, model])),
  }
}

/**
 * The result of changes: new and changed entries, the IDs of removed models, and the IDs of models that were put or
 * updated.
 */
interface Outcome {
  entries: CatalogueEntry[]
  removed: string[]
  ids: string[]
  /** The changed fields for the audit log, such as `chat.atlas.prices`, without values. */
  fields: string[]
}

/** Returns the changed model if there is only one. If there are several, `fields` names each. */
function targetOf([change, ...others]: readonly ModelChange[]): ActionTarget | undefined {
  if (!change || others.length > 0) return undefined
  return { type: 'Model', id: modelIdOf(change) }
}

function modelIdOf(change: ModelChange): string {
  return change.kind === 'put' ? declaredId(change.entry) : change.id
}

/** Applies changes to a catalogue in memory. Throws all faults. */
export function applyTo(current: Current, changes: readonly ModelChange[]): Outcome {
  const problems: Problem[] = []
  const after = new Map([...current.models].map(([id, { entry }]) => [id, entry]))
  const changed = new Map<string, ReadEntry>()
  const removed: string[] = []
  const ids: string[] = []
  const read = readerOf(current)

  for (const change of changes) {
    const refuse = (problem: Problem) => problems.push(problem)
    const id = modelIdOf(change)
    const known = current.models.get(id)
    const report = reporterOf(change, refuse)
    if (changed.has(id) || removed.includes(id)) report([], `${id} is changed twice`)
    if (!known && change.kind !== 'put') {
      refuse(new Problem('model_not_found', { param: printPath([...change.at, 'id']) }))
      continue
    }
    checkRevision(change, { id, revision: known?.revision ?? 0n }, refuse)
    after.delete(id) // and is appended again
    if (change.kind === 'remove') {
      removed.push(id)
      continue
    }
    ids.push(id)
    const entry = change.kind === 'put' ? read(change.entry, report) : known && withState(known.entry, change)
    if (!entry) continue
    after.set(id, entry)
    changed.set(id, { entry, report })
  }
  checkTogether(after, { changed, changes, refuse: problem => problems.push(problem) })
  raiseFirst(problems)
  const differing = [...changed.values()].map(({ entry }) => ({
    entry,
    fields: differences(current.models.get(entry.id)?.entry, entry),
  }))
  const written = differing.filter(({ fields }) => fields.length > 0)
  const named = written.flatMap(({ entry, fields }) => fields.map(field => `${entry.id}.${field}`))
  return { entries: written.map(({ entry }) => entry), removed, ids, fields: [...named, ...removed] }
}

/** Throws the first problem, with the others in its details. */
function raiseFirst([first, ...others]: readonly Problem[]): void {
  if (first) throw new Problem(first.errorName, { ...first.details, others: others.slice(0, maxFaults - 1) })
}

/** Returns the names of fields that differ between two entries. A new entry differs in all of its fields. */
function differences(before: CatalogueEntry | undefined, after: CatalogueEntry): string[] {
  const [known, next] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after))]
  const names = new Set([...known.keys(), ...next.keys()])
  return [...names].filter(name => !isDeepStrictEqual(known.get(name), next.get(name))).sort()
}

/** Returns a function that reads put entries like entries of files, without changing `value`. */
function readerOf({ chatParameters, vendors, models }: Current) {
  let shapes: ReturnType<typeof openShapes> | undefined
  const routesOf = (entry: ChatEntry) => routeEntries(entry, label => vendors.get(label))
  return (value: unknown, report: Report): CatalogueEntry | undefined => {
    if (!chatParameters) throw new Problem('conflict', { message: 'Apply the files of the catalogue first.' })
    shapes ??= openShapes()
    const context = { shapes, validator: openValidator(), vendors, chatParameters }
    const entry = readDeclaration(context, JSON.parse(JSON.stringify(value)), report)
    const known = { vendors, models: [...models.values()], report }
    if (entry?.modality === 'chat') for (const route of routesOf(entry)) checkAddress(route, known)
    else if (entry) checkAddress(entry, known)
    return entry && JSON.parse(JSON.stringify(entry))
  }
}

function withState(entry: CatalogueEntry, { isActive, isPopular }: UpdateModel): CatalogueEntry {
  return { ...entry, active: isActive ?? entry.active, popular: isPopular ?? entry.popular }
}

function checkRevision(
  { at, expectedRevision }: ModelChange,
  { id, revision }: { id: string; revision: bigint },
  refuse: (problem: Problem) => void,
): void {
  if (BigInt(expectedRevision) === revision) return
  const where = revision === 0n ? 'is not in the catalogue' : `is at revision ${revision}`
  const message = `${id} ${where}: read it again before changing it.`
  refuse(new Problem('conflict', { param: printPath([...at, 'expectedRevision']), message }))
}

/** Checks references between models. A fault of another model is reported at the first change, which caused it. */
function checkTogether(
  after: ReadonlyMap<string, CatalogueEntry>,
  options: {
    changed: ReadonlyMap<string, ReadEntry>
    changes: readonly ModelChange[]
    refuse: (problem: Problem) => void
  },
): void {
  const { changed, changes, refuse } = options
  const [first] = changes
  if (!first) return
  const reportOther = reporterOf(first, refuse)
  checkReferences(
    [...after.values()].map(
      entry =>
        changed.get(entry.id) ?? {
          entry,
          report: (path, message) => reportOther([], `${entry.id}: ${printPath(path)}: ${message}`),
        },
    ),
  )
  if (after.size > maxModels) {
    refuse(new Problem('conflict', { message: `The catalogue has at most ${maxModels} models.` }))
  }
}

/** Reports faults of a change as problems, each with the path to it: `entry.prices.rates[0].price`. */
function reporterOf(change: Pick<ModelChange, 'at' | 'kind'>, refuse: (problem: Problem) => void): Report {
  const { at, kind } = change
  return (path, message) => {
    const param = printPath([...at, ...(kind === 'put' ? ['entry', ...path] : [settledBy[kind]])])
    const inside = kind === 'put' || path.length === 0 ? '' : `${printPath(path)}: `
    refuse(new Problem('validation_failed', { param, message: `${param}: ${inside}${message}.` }))
  }
}

/** The parameter that is reported if a change without an entry breaks a rule. */
const settledBy = { update: 'isActive', remove: 'id' } as const
