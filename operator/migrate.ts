import { join } from 'node:path'
import type { Config } from '../platform/config/read-config.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { reachPostgres } from '../platform/postgres/open-postgres.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Applies the migrations that the database does not have yet. Safe to run from several machines at the same time.

  npm run migrate

DATABASE_URL names the database.
`

await runMain({ name: 'migrate', help, start: applyMigrations })

async function applyMigrations(config: Config): Promise<undefined> {
  await reachPostgres({ url: config.databaseUrl, name: 'migrate' })
  const applied = await migrate(config.databaseUrl, join(import.meta.dirname, '../schema'))
  for (const name of applied) process.stdout.write(`applied ${name}\n`)
  if (applied.length === 0) process.stdout.write('nothing to apply: the database is up to date\n')
}
