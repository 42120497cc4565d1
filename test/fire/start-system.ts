import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeProcess, startNode } from '../../bench/system/start-node.ts'
import { freePort } from '../../dev/services/ports.ts'
import { startPostgres } from '../../dev/services/postgres.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import type { Service } from '../../dev/services/spawn-service.ts'
import { type Context, closeContext, type ManagementContext, openContext } from '../../domain/context.ts'
import { startCarrying } from '../../domain/logs/start-carrying.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { migrate } from '../../platform/migrations/migrate.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { flags } from '../harness/postgres/start-standby.ts'
import { startHostileVendor } from './hostile-vendor.ts'
import { openPrimary, type Primary } from './open-primary.ts'
import type { StallingProxy } from './stalling-proxy.ts'

/** A process that can be ended and started again, at the same address. */
export interface Part {
  service: Service
  start(): Promise<Service>
}

export interface Edge extends Part {
  /** What clients take as their base address. */
  url: string
  /** Its way to PostgreSQL. */
  proxy: StallingProxy
}

/** Two edges, a worker, their databases and vendors. The second edge has two processes and a committer. */
export interface System {
  edges: [Edge, Edge]
  worker: Part
  /** Starts one more worker, with more of an environment. */
  startWorker(more?: NodeJS.ProcessEnv): Promise<Service>
  postgres: Primary
  redis: Part
  /** The PostgreSQL of the log database. */
  logs: Part
  hostileUrl: string
  context: Context
  /** With a separate unit of work. */
  management(): ManagementContext
  /** What its processes said of a request, and of anything grave, since they were started. */
  logLines(about: RegExp): string[]
  close(): Promise<void>
}

/** Short, so that what waits ends within a round. */
const limits = {
  FIRST_BYTE_TIMEOUT_MS: '5000',
  IDLE_TIMEOUT_MS: '3000',
  TOTAL_TIMEOUT_MS: '15000',
  SHUTDOWN_GRACE_MS: '2000',
  RATE_REQUESTS: '100000000',
  ALLOW_LOOPBACK: 'true',
  LOG_LEVEL: 'warn',
}

/** Starts all of it in a folder that is removed again. Throws when a part does not start, after ending the others. */
export async function startSystem(): Promise<System> {
  const stack = new AsyncDisposableStack()
  try {
    const folder = await mkdtemp(join(tmpdir(), 'rubicon-fire-'))
    await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must reach it
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const [redisPort, binary] = [await freePort(), await ensureRedisServer()]
    const postgres = await openPrimary(folder)
    stack.defer(() => postgres.close())
    const redis = await keep(stack, () =>
      startRedis({ binary, folder: join(folder, 'redis'), port: redisPort }),
    )
    const logPort = await freePort()
    const logs = await keep(stack, () =>
      startPostgres({ folder: join(folder, 'logs'), port: logPort, flags }),
    )
    const databaseUrl = (port: number) => `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
    const { port: postgresPort } = await postgres.openProxy()
    const environment = {
      DATABASE_URL: databaseUrl(postgresPort),
      LOG_DATABASE_URL: databaseUrl(logPort),
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      REDIS_PREFIX: 'fire:',
      MEDIA_FOLDER: join(folder, 'media'),
      ...(await startVendors(stack)),
      ...limits,
    }
    const config = readConfig(environment)
    const context = openContext(config, { name: 'fire', maxConnections: 4 })
    stack.defer(() => closeContext(context))
    for (const url of [config.databaseUrl, config.logDatabaseUrl])
      await migrate(url, new URL('../../schema', import.meta.url).pathname)
    await startCarrying({ ...context, logs: context.logs! })
    const catalogue = await readCatalogue(new URL('../../schema/catalog', import.meta.url).pathname)
    for (const entry of catalogue.models) if (entry.modality !== 'chat') entry.generation.poll_ms = 100
    await applyCatalogue(context, catalogue)
    const orm = openOrm({ url: config.databaseUrl, name: 'fire', entities, maxConnections: 2 })
    stack.defer(() => orm.close())

    const startEdge = async (name: string, processes: number): Promise<Edge> => {
      const [port, proxy] = [await freePort(), await postgres.openProxy()]
      const throughProxy = {
        ...environment,
        DATABASE_URL: databaseUrl(proxy.port),
        EDGE_PORT: String(port),
        EDGE_PROCESSES: String(processes),
      }
      const part = await keep(stack, () =>
        startEntry('inference-edge/main.ts', { name, port, folder, environment: throughProxy }),
      )
      return Object.assign(part, { proxy, url: `http://127.0.0.1:${port}/v1` })
    }
    const workerAt = (name: string, port: number, more: NodeJS.ProcessEnv = {}) =>
      startEntry('worker/main.ts', {
        name,
        port,
        folder,
        environment: { ...environment, ...more, WORKER_PORT: String(port) },
      })
    const workerPort = await freePort()
    const worker = keep(stack, () => workerAt('worker', workerPort))
    const [one, two] = await Promise.all([startEdge('edge-1', 1), startEdge('edge-2', 2)])
    const hostile = await startHostileVendor()
    stack.defer(() => hostile.close())
    return {
      edges: [one, two],
      worker: await worker,
      async startWorker(more) {
        const port = await freePort()
        return (await keep(stack, () => workerAt('other-worker', port, more))).service
      },
      postgres,
      redis,
      logs,
      hostileUrl: hostile.url,
      context,
      logLines: about =>
        ['edge-1', 'edge-2', 'worker'].flatMap(name =>
          readFileSync(join(folder, `${name}.log`), 'utf8')
            .split('\n')
            .filter(line => about.test(line)),
        ),
      management: () => ({ ...context, em: orm.em.fork() }),
      close: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** The simulator, as the platform's vendors. */
async function startVendors(stack: AsyncDisposableStack): Promise<Record<string, string>> {
  const simulator = await startSimulator({ settings: { record: false, generationMs: 300 } })
  stack.defer(() => simulator.close())
  const paths = {
    ...{ VENDOR_A: '/openai/v1', VENDOR_B: '/anthropic', VENDOR_C: '/gemini' },
    ...{ VENDOR_F: '/queue', VENDOR_I: '/queue', VENDOR_K: '/predictions/v1' },
  }
  return Object.fromEntries(
    Object.entries(paths).flatMap(([vendor, path]) => [
      [`${vendor}_API_KEY`, 'sim-platform-key'],
      [`${vendor}_BASE_URL`, `${simulator.url}${path}`],
    ]),
  )
}

function startEntry(
  entry: string,
  options: { name: string; port: number; folder: string; environment: NodeJS.ProcessEnv },
): Promise<NodeProcess> {
  const { name, port, folder, environment } = options
  return startNode({
    name,
    entry,
    port,
    folder,
    words: () => [],
    environment: () => environment,
    readyPath: '/readyz',
  })
}

/** Starts a part that is ended with all the others, whichever of its processes runs by then. */
async function keep(stack: AsyncDisposableStack, start: () => Promise<Service>): Promise<Part> {
  const part: Part = { service: await start(), start }
  stack.defer(() => part.service.stop(2_000))
  return part
}
