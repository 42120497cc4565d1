import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../dev/services/postgres.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import { migrate } from '../../platform/postgres/migrate.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server; the path is the template database. */
    postgresUrl: string
    redisUrl: string
    /** Where media is stored; removed when the tests end. */
    mediaFolder: string
    /** Whether every subgraph is served by itself; undefined is no. */
    spread: boolean | undefined
  }
}

/** What tests kill are processes, never the machine: nothing needs to reach the disk. */
const settings = [
  'max_connections=400',
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=512MB',
]

/** Starts the real services once for all test files: PostgreSQL with a migrated template database, and Redis. */
export default async function startServices(project: TestProject): Promise<() => Promise<void>> {
  const binary = await ensureRedisServer().catch(endWithOneLine)
  const folder = await aFolder()
  const [postgres, redis] = await Promise.all([
    startPostgres({ folder, flags: settings.flatMap(setting => ['-c', setting]) }),
    startRedis({ binary }),
  ])
  const admin = openPostgres({ url: postgres.urlOf('postgres'), name: 'test-setup', maxConnections: 1 })
  await admin`create database template_system`
  await admin.end()
  await migrate(postgres.urlOf('template_system'), new URL('../../schema', import.meta.url).pathname)

  project.provide('postgresUrl', postgres.urlOf('template_system'))
  project.provide('redisUrl', redis.url)
  project.provide('mediaFolder', join(folder, 'media'))
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()])
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * In memory if it is large enough: hundreds of databases are created and dropped, each with hundreds of files.
 * A run removes the files that a killed run left.
 */
async function aFolder(): Promise<string> {
  const parent = (await freeBytesIn(memory)) > requiredBytes ? memory : tmpdir()
  const name = 'rubicon-test-'
  const left = (await readdir(parent)).filter(other => other.startsWith(name) && !runs(other.split('-')[2]))
  await Promise.all(left.map(other => rm(join(parent, other), { recursive: true, force: true })))
  return mkdtemp(join(parent, `${name}${process.pid}-`))
}

const memory = '/dev/shm'
const requiredBytes = 4_000_000_000

/** Bytes that are free in a folder; none where it does not exist. */
async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize
}

function runs(pid: string | undefined): boolean {
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Without what every test file needs, none is worth starting: no stack trace hides what to do. */
function endWithOneLine(error: Error): never {
  process.stderr.write(`npm test: ${error.message}\n`)
  process.exit(1)
}
