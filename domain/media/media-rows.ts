import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { MediaKind } from './media-name.ts'

/** The row of a stored file. */
export interface MediaRow {
  name: string
  kind: MediaKind
  contentType: string
  bytes: number
  /** Time until the file expires by Postgres's clock, in milliseconds; negative if it has. */
  leftMs: number
  /** Whether the file is complete and not being removed. */
  isThere: boolean
}

/** Finds the rows of files by their names, in the order of the names. */
export async function readMediaRows(sql: Sql, names: readonly string[]): Promise<(MediaRow | undefined)[]> {
  const rows = await sql<MediaRow[]>`
    select name, kind, content_type as "contentType", bytes::float8 as bytes,
      extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as "leftMs",
      stored_at is not null and removed_at is null as "isThere"
    from media_files where name = any(${[...new Set(names)]})`
  const byName = new Map(rows.map(row => [row.name, row]))
  return names.map(name => byName.get(name))
}
