import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import {
  binariesIn,
  findPostgres,
  findServerOwner,
  initialisePostgres,
  ownedFolder,
} from './install-postgres.ts'
import { freePort, requireFreePort } from './ports.ts'
import { type Service, spawnService } from './spawn-service.ts'

export interface PostgresService extends Service {
  /** The folder of its data, which may differ from the requested one: see `ownedFolder`. */
  folder: string
  /** Returns the URL of a database of the server, with credentials. */
  urlOf(database: string): string
}

/** Maximum time in which a server starts, including recovery after a crash, in milliseconds. */
const startTimeoutMs = 60_000

/**
 * Starts PostgreSQL 18, or the one whose binaries are in the folder `binaries`, on a persistent folder, after stopping a
 * server that an earlier start left running there. Listens on loopback only. Throws a one-line error with the server's
 * message if it does not start.
 */
export async function startPostgres(options: {
  folder: string
  port?: number
  flags?: string[]
  binaries?: string
}): Promise<PostgresService> {
  const port = options.port ?? (await freePort())
  const owner = findServerOwner()
  const binaries = options.binaries ? binariesIn(options.binaries) : await findPostgres(owner)
  const folder = ownedFolder(options.folder, owner)
  const data = join(folder, 'data')
  const logFile = join(folder, 'postgres.log')
  if (!existsSync(join(data, 'PG_VERSION'))) await initialisePostgres(binaries.initdb, folder, owner)
  else await endLeftPostgres(data, other => addressOf(other, 'postgres'))
  await requireFreePort(port, 'PostgreSQL')

  const service = await spawnService({
    command: binaries.postgres,
    args: ['-D', data, '-p', String(port), ...loopbackOnly, ...(options.flags ?? [])],
    folder,
    logFile,
    owner: owner && { uid: owner.uid, gid: owner.gid },
    stopSignal: 'SIGINT', // fast shutdown: rolls back what is open, keeps what is committed
  })
  const urlOf = (database: string) => addressOf(port, database)
  try {
    await waitUntilReady(urlOf('postgres'), service)
  } catch (error) {
    await service.stop()
    throw new Error(`PostgreSQL did not start: ${lastLineOf(service.printed())}`, { cause: error })
  }
  return { ...service, folder, urlOf }
}

/** Deletes all data of `folder`, after stopping a server that an earlier start left running there. */
export async function removePostgresData(options: { folder: string }): Promise<void> {
  const data = join(ownedFolder(options.folder, findServerOwner()), 'data')
  await endLeftPostgres(data, port => addressOf(port, 'postgres'))
  rmSync(data, { recursive: true, force: true })
}

function addressOf(port: number, database: string): string {
  return `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
}

const loopbackOnly = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']

async function waitUntilReady(url: string, service: Service): Promise<void> {
  let end: string | undefined
  void service.ended.then(reason => {
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

function lastLineOf(log: string): string {
  const lines = log.trim().split('\n')
  return (lines.findLast(line => line.includes('FATAL')) ?? lines.at(-1) ?? '').replace(/^.*FATAL:\s*/, '')
}

/** Maximum time in which a server shuts down, in milliseconds. */
const timeoutMs = 10_000

/**
 * Stops the server that an earlier start left running on the data folder, and waits for a server that is already shutting
 * down. Signals the process only if it reports that data folder: by now its process ID and port may belong to another
 * program.
 */
async function endLeftPostgres(data: string, urlOn: (port: number) => string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid')
  for (const startedAt = Date.now(); Date.now() - startedAt < timeoutMs; await sleep(50)) {
    if (!existsSync(pidFile)) return
    const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n').map(Number)
    if (!pid || !port || !isAlive(pid)) return
    const served = await folderServed(urlOn(port))
    if (served === data) process.kill(pid, 'SIGINT')
    else if (served !== undefined) return
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function folderServed(url: string): Promise<string | undefined> {
  const sql = openPostgres({ url, name: 'dev-start', maxConnections: 1 })
  try {
    const [row] = await sql<{ folder: string }[]>`select current_setting('data_directory') as folder`
    return row?.folder
  } catch {
    return undefined // no server, or another one
  } finally {
    await sql.end({ timeout: 1 })
  }
}
