import type { Context } from '../context.ts'
import { type ModelRecord, modelColumns } from './model-records.ts'
import { isReachable, type Viewer } from './reachable-models.ts'

/** The topic on which a change of the catalogue is told: a hint to read it. */
export const catalogueTopic = 'catalogue'

/** What changed in the catalogue between two revisions. */
export interface CatalogueChange {
  /** That which it leads to. */
  revision: bigint
  /** Models that joined or changed, as they are now. */
  models: ModelRecord[]
  /** Models that were there and can no longer be called: inactive, or removed. */
  withdrawnIds: string[]
}

/** A model that changed after some revision; `record` is undefined where it can no longer be called. */
export interface ChangedModel {
  id: string
  revision: bigint
  record: ModelRecord | undefined
}

/**
 * Reads what changed after a revision, in the order of the changes, and the present revision: both of one moment.
 * Without `since` nothing but the revision.
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

/** What of these models changed after a revision. */
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

/** Two changes that follow one another, as one. */
export function mergeChanges(earlier: CatalogueChange, later: CatalogueChange): CatalogueChange {
  const again = new Set([...later.models.map(({ entry }) => entry.id), ...later.withdrawnIds])
  return {
    revision: later.revision,
    models: [...earlier.models.filter(({ entry }) => !again.has(entry.id)), ...later.models],
    withdrawnIds: [...earlier.withdrawnIds.filter(id => !again.has(id)), ...later.withdrawnIds],
  }
}
