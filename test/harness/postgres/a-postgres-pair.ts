import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresService, startPostgres } from '../../../dev/services/postgres.ts'
import { aPostgresProxy } from './a-postgres-proxy.ts'
import { flags, onServer, promote, startStandby } from './start-standby.ts'

/** A primary and its synchronous standby, behind one address: no commit that was confirmed is lost with the primary. */
export interface PostgresPair {
  /** The address of the current primary. */
  url: string
  /**
   * Fails over as managed servers do: the primary accepts no writes any more, the standby is promoted, and new
   * connections reach it. Connections to the old primary stay open. A new standby replaces the promoted one.
   */
  failOver(): Promise<void>
  /** Kills the server that was the primary before the last `failOver`. */
  killPrevious(): Promise<void>
  /** Kills the primary and promotes the standby. Resolves when new connections reach the promoted server. */
  crash(): Promise<void>
  close(): Promise<void>
}

/** Starts the pair. Commits wait until the standby has applied them, so that it has no fewer rows than its primary. */
export async function aPostgresPair(): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-pair-'))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must reach it
  const servers: PostgresService[] = []
  const start = async (work: (place: { folder: string }) => Promise<PostgresService>) => {
    const server = await work({ folder: join(folder, String(servers.length)) })
    servers.push(server)
    return server
  }
  const standbyOf = async (server: PostgresService) => {
    const started = await start(place => startStandby(server, place))
    await configure(server, `synchronous_commit = remote_apply`)
    return started
  }
  let primary = await start(place => startPostgres({ ...place, flags }))
  let standby = await standbyOf(primary)
  let previous = primary
  const proxy = await aPostgresProxy(primary.urlOf('postgres'))
  const switchToStandby = async () => {
    await promote(standby)
    proxy.switchTo(standby.urlOf('postgres'))
    previous = primary
    primary = standby
  }
  return {
    url: proxy.url,
    async failOver() {
      await configure(primary, `default_transaction_read_only = on`)
      await switchToStandby()
      standby = await standbyOf(primary)
    },
    killPrevious: () => kill(previous),
    async crash() {
      await kill(primary)
      await switchToStandby()
    },
    async close() {
      await proxy.close()
      await Promise.all(servers.map(server => server.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function kill(server: PostgresService): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  await server.ended
}

async function configure(server: PostgresService, setting: string): Promise<void> {
  await onServer(server, async sql => {
    await sql.unsafe(`alter system set ${setting}`)
    await sql`select pg_reload_conf()`
  })
}
