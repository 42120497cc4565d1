import type { Context } from '../context.ts'
import { type ModelRecord, modelColumns } from './model-records.ts'
import { isReachable, type Viewer } from './reachable-models.ts'

/** The topic for changes of the catalogue. A message is a hint to read it. */
export const catalogueTopic = 'catalogue'

/** The changes of the catalogue between two revisions. */
export interface CatalogueChange {
  /** The revision after the change. */
  revision: bigint
  /** The added and changed models, in their current state. */
  models: ModelRecord[]
  /** Models that can no longer be called, because they are inactive or removed. */
  withdrawnIds: string[]
}

/** A model that changed after a revision. `record` is undefined if it can no longer be called. */
export interface ChangedModel {
  id: string
  revision: bigint
  record: ModelRecord | undefined
}

/**
 * Reads the changes after a revision, in their order, and the current revision, both of the same moment. Without
 * `since`, reads only the revision.
 */
export async function readChanges(
  { sql }: Pick<Context, 'sql'>,
  { since }: { since: bigint | undefined },
): Promise<{ revision: bigint; changed: ChangedModel[] }> {
  const rows = await sql<(ModelRecord & { at: bigint; id: string | null; isActive: boolean })[]>`
    select state.revision as at, changed.*
    from catalogue_state as state
    left join lateral (
      select id, is_active as "isActive", ${modelColumns(sql)} from models where models.revision > ${since ?? null}::bigint
    ) as changed on true
    order by changed.revision, changed.id`
  const changed = rows.flatMap(({ at, id, isActive, ...record }) =>
    id === null ? [] : [{ id, revision: record.revision, record: isActive ? record : undefined }],
  )
  return { revision: rows[0]?.at ?? 0n, changed }
}

/** Returns the changes of these models after a revision. */
export function changeSince(
  { revision, changed }: { revision: bigint; changed: readonly ChangedModel[] },
  since: bigint,
): CatalogueChange {
  const later = changed.filter(model => model.revision > since)
  return {
    revision,
    models: later.flatMap(({ record }) => record ?? []),
    withdrawnIds: later.flatMap(({ id, record }) => (record ? [] : [id])),
  }
}

/** Returns the part of a change that a viewer sees. */
export async function visibleChange(
  { sql }: Pick<Context, 'sql'>,
  { change, viewer }: { change: CatalogueChange; viewer: Viewer | undefined },
): Promise<CatalogueChange> {
  const { models, withdrawnIds } = change
  const ids = [...models.map(({ entry }) => entry.id), ...withdrawnIds]
  if (!viewer || ids.length === 0) return change
  const rows = await sql<{ id: string }[]>`
    select id from models where id = any(${ids}::text[]) and ${isReachable(sql, viewer)}`
  const seen = new Set(rows.map(({ id }) => id))
  return {
    ...change,
    models: models.filter(({ entry }) => seen.has(entry.id)),
    withdrawnIds: withdrawnIds.filter(id => seen.has(id)),
  }
}

/** Merges two consecutive changes. */
export function mergeChanges(earlier: CatalogueChange, later: CatalogueChange): CatalogueChange {
  const again = new Set([...later.models.map(({ entry }) => entry.id), ...later.withdrawnIds])
  return {
    revision: later.revision,
    models: [...earlier.models.filter(({ entry }) => !again.has(entry.id)), ...later.models],
    withdrawnIds: [...earlier.withdrawnIds.filter(id => !again.has(id)), ...later.withdrawnIds],
  }
}
