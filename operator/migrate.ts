import { longestStatementMs } from '../domain/context.ts'
import { startCarrying } from '../domain/logs/start-carrying.ts'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { migrate } from '../platform/migrations/migrate.ts'
import { planMigration } from '../platform/migrations/plan-migration.ts'
import { schemaFolder } from '../platform/migrations/read-schema.ts'
import { type DatabaseAddress, directAddress, logAddress } from '../platform/postgres/addresses.ts'
import { openPostgres, reachPostgres } from '../platform/postgres/open-postgres.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Applies the migrations that the database does not have yet. Safe to run from several machines at the same time.

  npm run migrate
  npm run migrate -- --plan     prints what would run, and which statements lock tables; changes nothing

DATABASE_URL names the database. If LOG_DATABASE_URL is set, its database is migrated too. The first time, the request log
is copied there while the system runs; from then on, every process needs LOG_DATABASE_URL (docs/operations.md).
`

await runMain({
  name: 'migrate',
  help,
  options: { plan: { type: 'boolean' } },
  async start(config, { options }) {
    const log = logAddress(config)
    const addresses = [directAddress(config), ...(log ? [log] : [])]
    for (const address of addresses) await reachPostgres({ ...address, name: 'migrate' }, async () => {})
    const isPlan = options.plan === true
    const lines: string[] = []
    for (const { url } of addresses)
      lines.push(...(isPlan ? await planMigration(url, schemaFolder) : await apply(url)))
    if (!isPlan) lines.push(...(await carryLog(config)))
    const upToDate = ['nothing to apply: the database is up to date']
    for (const line of lines.length > 0 ? lines : upToDate) process.stdout.write(`${line}\n`)
    return undefined
  },
})

async function apply(url: string): Promise<string[]> {
  return (await migrate(url, schemaFolder)).map(name => `applied ${name}`)
}

/** Copies the request log to the log database, unless that was done before. */
async function carryLog(config: Config): Promise<string[]> {
  const log = logAddress(config)
  if (!log) return []
  const open = (address: DatabaseAddress) =>
    openPostgres({ ...address, name: 'migrate', maxConnections: 1, statementTimeoutMs: longestStatementMs })
  const [sql, logs] = [open(directAddress(config)), open(log)]
  try {
    const copied = await startCarrying({ sql, logs, clock: systemClock })
    return copied === undefined ? [] : [`copied ${copied} requests to LOG_DATABASE_URL`]
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), logs.end({ timeout: 5 })])
  }
}
