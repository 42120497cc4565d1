import type { Sql } from '../postgres/open-postgres.ts'

/**
 * Distributes tables of a migrated database on Citus by `account_id`, all in one group, with the rows that they have. The rows
 * of an account are then on one node. Citus also manages the table `managed` on the coordinator. Later transactions use one
 * connection to each node. Returns the tables that were not distributed before. Throws one line if the database is not the
 * coordinator of a Citus cluster.
 */
export async function distributeTables(
  sql: Sql,
  { distributed, managed }: { distributed: readonly string[]; managed: string },
): Promise<string[]> {
  const [extension] = await sql`select from pg_extension where extname = 'citus'`
  if (!extension)
    throw new Error('the database has no Citus: run "create extension citus" on each node (docs/scaling.md)')
  const [node] = await sql<{ is_coordinator: boolean }[]>`select citus_is_coordinator() as is_coordinator`
  if (!node?.is_coordinator) throw new Error('the database is a worker node of Citus: use the coordinator')
  const placed = await sql<{ name: string }[]>`
    select logicalrelid::text as name from pg_dist_partition
    where partmethod = 'h' or logicalrelid = ${managed}::regclass`
  const known = new Set(placed.map(({ name }) => name))
  // Otherwise a batch opens a connection for each shard, which takes six times as long.
  await sql`
    do $$ begin
      execute format('alter database %I set citus.multi_shard_modify_mode = sequential', current_database());
    end $$`
  // Before the others, so that no transaction on them commits in one phase.
  if (!known.has(managed)) await sql`select citus_add_local_table_to_metadata(${managed})`
  const done: string[] = []
  for (const table of distributed) {
    if (known.has(table)) continue
    const besides = table === distributed[0] ? 'none' : distributed[0]!
    await sql`select create_distributed_table(${table}, 'account_id', colocate_with => ${besides})`
    done.push(table)
  }
  return done
}
