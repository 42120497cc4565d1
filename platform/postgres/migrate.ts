import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from './open-postgres.ts'

/**
 * Applies the `.sql` files of `folder` that were not applied yet, in the order of their names, each in a
 * transaction of its own. Several processes may call it at once: one works, the others wait.
 * Returns the names applied. Throws, naming the file, when one fails; those before it stay applied.
 */
export async function migrate(sql: Sql, folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
  const connection = await sql.reserve()
  try {
    await connection`select pg_advisory_lock(hashtext('migrate'))`
    await connection`create table if not exists migrations (name text primary key, applied_at timestamptz default now())`
    const known = new Set(
      (await connection<{ name: string }[]>`select name from migrations`).map(row => row.name),
    )
    const applied = files.filter(name => !known.has(name))
    for (const name of applied) {
      const text = await readFile(join(folder, name), 'utf8')
      try {
        await connection.unsafe(`begin; ${text}; insert into migrations (name) values ('${name}'); commit`)
      } catch (error) {
        await connection.unsafe('rollback')
        throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        })
      }
    }
    if (applied.length > 0) await connection.unsafe('analyze')
    return applied
  } finally {
    await connection`select pg_advisory_unlock(hashtext('migrate'))`.catch(() => {})
    connection.release()
  }
}
