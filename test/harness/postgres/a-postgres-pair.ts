import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../../dev/services/postgres.ts'
import { aPostgresProxy } from './a-postgres-proxy.ts'
import { flags, onServer, promote, startStandby } from './start-standby.ts'

/** A primary and its synchronous standby, behind one address: no commit that was confirmed is lost with the primary. */
export interface PostgresPair {
  /** The address of the primary of now. */
  url: string
  /**
   * Fails over as managed servers do: the primary accepts no writes any more, the standby is promoted, and new
   * connections reach it. Those to the old primary stay open.
   */
  failOver(): Promise<void>
  /** Kills the server that was the first primary. */
  killFirst(): Promise<void>
  close(): Promise<void>
}

/** Starts one. */
export async function aPostgresPair(): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-pair-'))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must reach it
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const primary = await startPostgres({ folder: first, flags })
  const standby = await startStandby(primary, { folder: second })
  const proxy = await aPostgresProxy(primary.urlOf('postgres'))
  return {
    url: proxy.url,
    async failOver() {
      await onServer(primary, async sql => {
        await sql`alter system set default_transaction_read_only = on`
        await sql`select pg_reload_conf()`
      })
      await promote(standby)
      proxy.switchTo(standby.urlOf('postgres'))
    },
    async killFirst() {
      process.kill(primary.pid, 'SIGKILL')
      await primary.ended
    },
    async close() {
      await proxy.close()
      await Promise.all([primary.stop(), standby.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
