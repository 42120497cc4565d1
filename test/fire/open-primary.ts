import { join } from 'node:path'
import { freePort } from '../../dev/services/ports.ts'
import { type PostgresService, startPostgres } from '../../dev/services/postgres.ts'
import { dropStandby, flags, promote, startStandby } from '../harness/postgres/start-standby.ts'
import { openStallingProxy, type StallingProxy } from './stalling-proxy.ts'
import type { Part } from './start-system.ts'

/** The system's PostgreSQL, behind addresses that follow the primary. */
export interface Primary extends Part {
  /** Opens one more address of the primary. */
  openProxy(): Promise<StallingProxy>
  /** Starts a standby from a copy, kills the primary, and promotes the standby; all addresses lead to it then. */
  failOver(): Promise<void>
  /** Runs `work` while the primary has a synchronous standby, which is then removed. */
  withStandby(work: (standby: PostgresService) => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** Starts it in a folder. */
export async function openPrimary(folder: string): Promise<Primary> {
  let place = { folder: join(folder, 'postgres'), port: await freePort() }
  let standby: PostgresService | undefined
  let copies = 0
  const proxies: StallingProxy[] = []
  const start = () => startPostgres({ ...place, flags })
  const primary: Primary & { service: PostgresService } = {
    service: await start(),
    async start() {
      const service = await start()
      primary.service = service
      return service
    },
    async openProxy() {
      const proxy = await openStallingProxy(place.port)
      proxies.push(proxy)
      return proxy
    },
    async failOver() {
      standby = await startStandby(primary.service, { folder: join(folder, `postgres-${++copies}`) })
      process.kill(primary.service.pid, 'SIGKILL')
      await primary.service.ended
      await promote(standby)
      const { port } = new URL(standby.urlOf('postgres'))
      place = { folder: standby.folder, port: Number(port) }
      primary.service = standby
      standby = undefined
      for (const proxy of proxies) proxy.switchTo(place.port)
    },
    async withStandby(work) {
      standby = await startStandby(primary.service, { folder: join(folder, `postgres-${++copies}`) })
      await work(standby)
      await dropStandby(primary.service, standby)
      standby = undefined
    },
    async close() {
      for (const proxy of proxies) proxy.close()
      await standby?.stop(2_000)
      await primary.service.stop(2_000)
    },
  }
  return primary
}
