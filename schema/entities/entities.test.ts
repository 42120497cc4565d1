import { expect, test } from 'vitest'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { aDatabase } from '../../test/harness/a-database.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { entities } from './entities.ts'

const database = perFile(aDatabase)
const orm = perFile(() => openOrm({ url: database.url, name: 'test', entities }))

test('every entity states the columns, types, nullability and key of its migrated table', async () => {
  expect(orm.getMetadata().getAll().size).toBe(entities.length)
  for (const entity of orm.getMetadata().getAll().values()) {
    const declared = entity.props
      .filter(property => property.persist !== false && property.formula === undefined)
      .map(property => ({
        name: property.fieldNames[0],
        type: typeNames[property.columnTypes[0] ?? ''] ?? property.columnTypes[0],
        nullable: property.nullable === true,
        key: property.primary === true,
      }))
    expect(sorted(declared), entity.tableName).toEqual(sorted(await columnsOf(entity.tableName)))
  }
})

/** Returns the Postgres name of a MikroORM type. */
const typeNames: Record<string, string> = { int: 'integer', 'timestamptz(6)': 'timestamptz' }

async function columnsOf(table: string) {
  const columns = await database.sql<{ name: string; type: string; nullable: boolean; key: boolean }[]>`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
      exists (select 1 from pg_index i where i.indrelid = a.attrelid and i.indisprimary and a.attnum = any (i.indkey)) as key
    from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped`
  return [...columns].map(column => ({
    ...column,
    type: column.type === 'timestamp with time zone' ? 'timestamptz' : column.type,
  }))
}

function sorted<Column extends { name?: string | undefined }>(columns: Column[]): Column[] {
  return columns.toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''))
}
