import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'

/** A model as it is kept: its entry, when it joined the catalogue and when its entry last changed. */
export interface ModelRecord {
  entry: CatalogueEntry
  createdAt: Date
  updatedAt: Date
}

/** The columns of `models` that make a record. */
export function modelColumns(sql: Sql) {
  return sql`data as entry, created_at as "createdAt", updated_at as "updatedAt"`
}
