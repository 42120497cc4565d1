import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { freePort } from './free-port.ts'
import { endLeftPostgres } from './postgres/end-left-postgres.ts'
import { findPostgres } from './postgres/find-postgres.ts'
import { initialisePostgres } from './postgres/initialise-postgres.ts'
import { findServerOwner, ownedFolder } from './postgres/server-owner.ts'
import { requireFreePort } from './require-free-port.ts'
import { type Service, spawnService } from './spawn-service.ts'

export interface PostgresService extends Service {
  /** Where its data are: not always where they were wanted, see `ownedFolder`. */
  folder: string
  /** Address of a database of that server, with its credentials. */
  urlOf(database: string): string
}

/** Longest a server may take to come up, recovery after a crash included. */
const startTimeoutMs = 60_000

/**
 * Starts a real PostgreSQL 18 on a folder that outlives it, after ending one that an earlier start left there.
 * Listens on loopback alone. Throws one line, with the server's own words, when it does not come up.
 */
export async function startPostgres(options: {
  folder: string
  port?: number
  flags?: string[]
}): Promise<PostgresService> {
  const port = options.port ?? (await freePort())
  const owner = findServerOwner()
  const binaries = await findPostgres(owner)
  const folder = ownedFolder(options.folder, owner)
  const data = join(folder, 'data')
  const logFile = join(folder, 'postgres.log')
  if (!existsSync(join(data, 'PG_VERSION'))) await initialisePostgres(binaries.initdb, folder, owner)
  else await endLeftPostgres(data, other => addressOf(other, 'postgres'))
  await requireFreePort(port, 'PostgreSQL')

  const service = await spawnService({
    command: binaries.postgres,
    words: ['-D', data, '-p', String(port), ...loopbackOnly, ...(options.flags ?? [])],
    folder,
    logFile,
    owner: owner && { uid: owner.uid, gid: owner.gid },
    stopSignal: 'SIGINT', // fast shutdown: rolls back what is open, keeps what is committed
  })
  const urlOf = (database: string) => addressOf(port, database)
  try {
    await untilItAnswers(urlOf('postgres'), service)
  } catch (error) {
    await service.stop()
    throw new Error(`PostgreSQL did not start: ${lastWords(logFile)}`, { cause: error })
  }
  return { ...service, folder, urlOf }
}

/** Removes everything that a server kept for `folder`, after ending one that an earlier start left there. */
export async function removePostgresData(options: { folder: string }): Promise<void> {
  const data = join(ownedFolder(options.folder, findServerOwner()), 'data')
  await endLeftPostgres(data, port => addressOf(port, 'postgres'))
  rmSync(data, { recursive: true, force: true })
}

function addressOf(port: number, database: string): string {
  return `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
}

const loopbackOnly = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']

async function untilItAnswers(url: string, service: Service): Promise<void> {
  let end: string | undefined
  service.ended.then(reason => {
    end = reason
  })
  const sql = openPostgres({ url, name: 'dev-start', maxConnections: 1 })
  try {
    for (const startedAt = Date.now(); ; await sleep(50)) {
      if (end !== undefined) throw new Error(end)
      if (Date.now() - startedAt > startTimeoutMs) throw new Error('it took too long')
      if (await answers(sql)) return
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function answers(sql: ReturnType<typeof openPostgres>): Promise<boolean> {
  return sql`select 1`.then(
    () => true,
    () => false,
  )
}

function lastWords(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n')
  return (lines.findLast(line => line.includes('FATAL')) ?? lines.at(-1) ?? '').replace(/^.*FATAL:\s*/, '')
}
