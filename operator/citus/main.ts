import { distributeTables } from '../../platform/migrations/distribute-tables.ts'
import { refuseOtherSchema } from '../../platform/migrations/require-postgres.ts'
import { directAddress } from '../../platform/postgres/addresses.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { runMain } from '../../platform/process/run-main.ts'
import { distributedTables, managedTable } from '../../schema/distribution.ts'

const help = `
Distributes the tables that grow with traffic over the nodes of a Citus cluster, by account (docs/scaling.md). Run it after
npm run migrate, while no other process runs. Safe to repeat.

  npm run distribute

DATABASE_URL names the coordinator.
`

await runMain({
  name: 'distribute',
  help,
  async start(config) {
    const sql = openPostgres({
      ...directAddress(config),
      name: 'distribute',
      maxConnections: 1,
      statementTimeoutMs: 0,
    })
    try {
      await refuseOtherSchema(sql)
      const done = await distributeTables(sql, { distributed: distributedTables, managed: managedTable })
      const lines = done.length > 0 ? done.map(table => `distributed ${table}`) : ['nothing to distribute']
      for (const line of lines) process.stdout.write(`${line}\n`)
    } finally {
      await sql.end({ timeout: 5 })
    }
    return undefined
  },
})
