import { distributeTables } from '../../../platform/migrations/distribute-tables.ts'
import { migrate } from '../../../platform/migrations/migrate.ts'
import { schemaFolder } from '../../../platform/migrations/read-schema.ts'
import { distributedTables, managedTable } from '../../../schema/distribution.ts'
import { dropDatabase, onEach, withConnection } from './nodes.ts'

/** Creates the template database on each node, migrated and distributed. Replaces one of an earlier run. */
export async function prepareCitus(nodes: readonly string[], template: string): Promise<void> {
  await onEach(nodes, async (sql, url) => {
    await sql.unsafe(`update pg_database set datallowconn = true where datname = '${template}'`)
    await dropDatabase(sql, template)
    await sql.unsafe(`create database ${template}`)
    await withConnection(databaseAt(url, template), database => database.unsafe('create extension citus'))
  })
  const coordinator = databaseAt(nodes[0]!, template)
  await withConnection(coordinator, async sql => {
    const [own, ...workers] = nodes.map(url => new URL(url))
    await sql`select citus_set_coordinator_host(${own!.hostname}, ${Number(own!.port)})`
    for (const { hostname, port } of workers) await sql`select citus_add_node(${hostname}, ${Number(port)})`
  })
  await migrate(coordinator, schemaFolder)
  await withConnection(coordinator, sql =>
    distributeTables(sql, { distributed: distributedTables, managed: managedTable }),
  )
  // Citus's own connections would keep the template from being copied.
  await onEach(nodes, async sql => {
    await sql.unsafe(`alter database ${template} allow_connections false`)
    await sql.unsafe(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${template}'`,
    )
  })
}

function databaseAt(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.toString()
}
