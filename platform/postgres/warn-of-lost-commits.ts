import type { Config } from '../config/read-config.ts'
import { openLog } from '../log.ts'
import { pooledAddress } from './addresses.ts'
import { openPostgres, type Sql } from './open-postgres.ts'

/**
 * Logs one warning if the server at `DATABASE_URL` can lose commits that it has confirmed (docs/operations.md, Standby).
 */
export async function warnOfLostCommits(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'logLevel'>,
  name: string,
): Promise<void> {
  const sql = openPostgres({ ...pooledAddress(config), name, maxConnections: 1 })
  try {
    const warning = await describeLostCommits(sql)
    if (warning) openLog({ level: config.logLevel, name }).warn(warning)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The server's settings that decide which confirmed commits outlive a crash. */
interface Durability {
  commit: string
  standbyNames: string
  /** Whether the server sends its changes to a standby now. Every role sees this. */
  hasStandby: boolean
}

/**
 * Returns one line if the server can lose commits that it has confirmed: with `synchronous_commit = off`, or with a
 * standby for which commits do not wait. Otherwise returns undefined.
 */
export async function describeLostCommits(sql: Sql): Promise<string | undefined> {
  // A subscriber to logical replication is not a standby.
  const [row] = await sql<Durability[]>`
    select current_setting('synchronous_commit') as commit,
      current_setting('synchronous_standby_names') as "standbyNames",
      exists (
        select from pg_stat_replication r where not exists (
          select from pg_replication_slots s where s.slot_type = 'logical' and s.active_pid = r.pid)) as "hasStandby"`
  return row && lostCommitsOf(row)
}

function lostCommitsOf({ commit, standbyNames, hasStandby }: Durability): string | undefined {
  if (commit === 'off')
    return 'synchronous_commit is off: if PostgreSQL crashes, charges of the last moments are lost (docs/operations.md, Standby)'
  if (!hasStandby) return undefined
  const reason =
    standbyNames === ''
      ? 'synchronous_standby_names is empty'
      : commit === 'local'
        ? 'synchronous_commit is local'
        : undefined
  return (
    reason &&
    `the standby of PostgreSQL is asynchronous (${reason}): if it is promoted, charges of the last moments are lost (docs/operations.md, Standby)`
  )
}
