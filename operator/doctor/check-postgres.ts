import type { Config } from '../../platform/config/read-config.ts'
import { directAddress, pooledAddress } from '../../platform/postgres/addresses.ts'
import { reachPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { requireLimits } from '../../platform/postgres/role-limits.ts'
import { describeLostCommits } from '../../platform/postgres/warn-of-lost-commits.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { type Finding, findingsOf, type Result } from './check.ts'
import { readClock, skewFindings, skewOf } from './clock-skew.ts'
import { unencryptedFindings } from './unencrypted-connection.ts'

/** The state of the server. Amounts of WAL are in bytes. */
interface ServerState {
  version: string
  hasTls: boolean
  isStandby: boolean
  /** Whether the role does not see its own sessions. */
  isBlind: boolean
  role: string
  fsync: string
  fullPageWrites: string
  connections: number
  maxConnections: number
  oldestTransactionId: number
  archiverFails: boolean
  retainedWalBytes: number
}

/** Maximum share of the connections that may be in use. */
const maxConnectionShare = 0.8

/** Age of the oldest transaction ID at which the server is near a forced shutdown, which happens at 2.1 billion. */
const maxTransactionAge = 1_000_000_000

/** Amount of WAL that an unused replication slot may retain, in bytes. */
const maxRetainedWalBytes = 10e9

/** Age of a transaction that is reported, in minutes. It keeps deleted rows from being removed. */
const longTransactionMinutes = 15

/** Checks that the server answers, is new enough, is the primary, and loses no charge. Throws one line if it does not answer. */
export async function checkPostgres(config: Config): Promise<Result> {
  return reachPostgres({ ...directAddress(config), name: 'doctor' }, sql => examine(sql, config))
}

async function examine(sql: Sql, config: Config): Promise<Result> {
  const [state, transactions, lost] = [
    await readState(sql),
    await longTransactions(sql),
    await describeLostCommits(sql),
  ]
  const clock = await readClock(() => readTime(sql))
  const { url, variable } = directAddress(config)
  const tlsRemedy = `Append ?sslmode=verify-full to ${variable}.`
  const summary = `${state.version}, ${state.connections} of ${state.maxConnections} connections, clock ${signed(skewOf(clock))} ms, TLS ${state.hasTls ? 'on' : 'off'}`
  return {
    findings: [
      ...faultsOf(state),
      ...(lost ? [{ fault: lost, remedy: 'Make commits wait for the disk and for a standby.' }] : []),
      ...(state.hasTls ? [] : await unencryptedFindings(url, tlsRemedy)),
      ...transactions,
      ...(await limitsFindings(config)),
      ...skewFindings('Postgres', clock),
    ],
    summary,
  }
}

/** Checks that the connections of processes have limits, and that a pooler keeps their prepared statements. */
function limitsFindings(config: Config): Promise<Finding[]> {
  return requireLimits({ ...pooledAddress(config), name: 'doctor' }).then(
    () => [],
    error => [{ fault: explainFault(error), remedy: 'docs/pooler.md, Checks at start, explains each line.' }],
  )
}

async function readState(sql: Sql): Promise<ServerState> {
  const [state] = await sql<ServerState[]>`
    select current_setting('server_version') as version,
      coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "hasTls",
      pg_is_in_recovery() as "isStandby",
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as "fullPageWrites",
      (select sum(numbackends)::int from pg_stat_database) as connections,
      exists (
        select from pg_stat_activity where pid = pg_backend_pid() and backend_start is null) as "isBlind",
      current_user as role,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "maxConnections",
      (select max(age(datfrozenxid)) from pg_database) as "oldestTransactionId",
      (select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) from pg_stat_archiver) as "archiverFails",
      case when pg_is_in_recovery() then 0 else (
        select coalesce(max(pg_current_wal_lsn() - restart_lsn), 0)::float8 from pg_replication_slots where not active
      ) end as "retainedWalBytes"`
  return state!
}

async function readTime(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row!.now.getTime()
}

function faultsOf(state: ServerState): Finding[] {
  const { connections, maxConnections, retainedWalBytes } = state
  return findingsOf([
    [
      state.isStandby,
      'the server is a standby and accepts no writes',
      'Point DATABASE_URL to the primary, or promote this server.',
    ],
    [
      state.isBlind,
      `the role ${state.role} does not see its own sessions: after a restart of Postgres, living workers can be declared dead`,
      `Run grant pg_read_all_stats to ${state.role}.`,
    ],
    [
      state.fsync === 'off' || state.fullPageWrites === 'off',
      'fsync or full_page_writes is off: a crash can destroy the database',
      'Switch both on and restart the server.',
    ],
    [
      connections > maxConnectionShare * maxConnections,
      `${connections} of ${maxConnections} connections are in use`,
      'Raise max_connections, or run fewer processes.',
    ],
    [
      state.oldestTransactionId > maxTransactionAge,
      `the oldest transaction ID has an age of ${state.oldestTransactionId}: at 2.1 billion, the server stops accepting writes`,
      'Find out why autovacuum does not finish: long transactions, prepared transactions, unused replication slots.',
    ],
    [
      state.archiverFails,
      'the last attempt to archive WAL failed: the disk fills, and point-in-time recovery ends there',
      "Read the server's log and correct archive_command or its target.",
    ],
    [
      retainedWalBytes > maxRetainedWalBytes,
      `an unused replication slot retains ${Math.round(retainedWalBytes / 1e9)} GB of WAL`,
      'Start its standby, or drop the slot with pg_drop_replication_slot.',
    ],
  ])
}

/** Returns a finding for the oldest transaction, if it is long. Its text is not printed, because it can contain secrets. */
async function longTransactions(sql: Sql): Promise<Finding[]> {
  const [oldest] = await sql<{ pid: number; name: string; minutes: number }[]>`
    select pid, application_name as name, (extract(epoch from clock_timestamp() - xact_start) / 60)::int as minutes
    from pg_stat_activity
    where backend_type = 'client backend' and xact_start < clock_timestamp() - make_interval(mins => ${longTransactionMinutes})
    order by xact_start limit 1`
  if (!oldest) return []
  const { pid, name, minutes } = oldest
  return [
    {
      fault: `a transaction of ${JSON.stringify(name)} has been open for ${minutes} minutes, which keeps deleted rows from being removed`,
      remedy: `Wait for it if it is a backup, or else end it: select pg_terminate_backend(${pid}).`,
    },
  ]
}

function signed(ms: number): string {
  return ms > 0 ? `+${ms}` : String(ms)
}
