import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../dev/services/postgres.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import { migrate } from '../../platform/migrations/migrate.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { citusNodes } from './citus/nodes.ts'
import { prepareCitus } from './citus/prepare-citus.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server; the path is the template database. */
    postgresUrl: string
    /** The nodes of a Citus cluster, coordinator first; empty elsewhere. */
    citusNodes: string[]
    redisUrl: string
    /** A folder for temporary files; removed when the tests end. */
    folder: string
    /** Where media is stored, in this folder. */
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

/** The services of this run, and how many projects use them. */
interface Shared {
  starting: Promise<Services>
  users: number
}

/** Every project loads this module by itself, in the same process. */
const run = globalThis as typeof globalThis & { servicesOfTests?: Shared }

/**
 * Provides the real services to a project: PostgreSQL with a migrated template database, and Redis. The first project
 * starts them, and the last one stops them.
 */
export default async function provideServices(project: TestProject): Promise<() => Promise<void>> {
  run.servicesOfTests ??= { starting: startServices(), users: 0 }
  const shared = run.servicesOfTests
  shared.users += 1
  const { provided, stop } = await shared.starting
  for (const name of ['postgresUrl', 'redisUrl', 'folder', 'mediaFolder'] as const)
    project.provide(name, provided[name])
  project.provide('citusNodes', provided.citusNodes)
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    delete run.servicesOfTests
    await stop()
  }
}

interface Services {
  provided: Pick<ProvidedContext, 'postgresUrl' | 'citusNodes' | 'redisUrl' | 'folder' | 'mediaFolder'>
  stop(): Promise<void>
}

async function startServices(): Promise<Services> {
  const binary = await ensureRedisServer().catch(endWithOneLine)
  const folder = await aFolder()
  const [postgres, redis] = await Promise.all([
    startPostgres({ folder, flags: settings.flatMap(setting => ['-c', setting]) }),
    startRedis({ binary, folder: join(folder, 'redis') }),
  ])
  const nodes = citusNodes()
  if (nodes.length > 0) {
    await prepareCitus(nodes, 'template_system')
  } else {
    const admin = openPostgres({ url: postgres.urlOf('postgres'), name: 'test-setup', maxConnections: 1 })
    await admin`create database template_system`
    await admin.end()
    await migrate(postgres.urlOf('template_system'), new URL('../../schema', import.meta.url).pathname)
  }
  return {
    provided: {
      postgresUrl: nodes[0] ? new URL('/template_system', nodes[0]).href : postgres.urlOf('template_system'),
      citusNodes: nodes,
      redisUrl: redis.url,
      folder,
      mediaFolder: join(folder, 'media'),
    },
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()])
      await rm(folder, { recursive: true, force: true })
    },
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
