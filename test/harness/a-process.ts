import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../dev/services/ports.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { EdgeSystem } from './an-edge.ts'

/** A process of the product that a test can kill. */
export interface TestProcess {
  process: ChildProcess
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>
}

export interface EdgeProcess extends TestProcess {
  baseURL: string
}

/** Processes that are still running when the test ends are killed. */
interface Surroundings {
  config: Config
  children: Set<ChildProcess>
}

/**
 * Starts an entry file as a process with the database and Redis of `system` and the settings in `env`, and waits
 * until it is ready on `port`.
 */
export async function aProcess(
  { config, children }: Surroundings,
  { entry, port, env }: { entry: readonly string[]; port: number; env: Record<string, string | undefined> },
): Promise<TestProcess> {
  const child = spawn(process.execPath, entry, {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: 'ignore', // it must not hold the test's own output open
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: config.databaseUrl,
      DATABASE_DIRECT_URL: config.databaseDirectUrl,
      REDIS_URL: config.redisUrl,
      REDIS_PREFIX: config.redisPrefix,
      ALLOW_LOOPBACK: 'true',
      LOG_LEVEL: 'silent',
      ...env,
    },
  })
  const exited = once(child, 'exit')
  children.add(child)
  child.once('exit', () => children.delete(child))
  await untilReady(`http://127.0.0.1:${port}/readyz`, child)
  return {
    process: child,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Starts an edge process on the database and Redis prefix of `system`. */
export async function anEdgeProcess(
  system: EdgeSystem,
  env: Record<string, string> = {},
): Promise<EdgeProcess> {
  const port = await freePort()
  const edge = await aProcess(system, {
    entry: ['inference-edge/main.ts'],
    port,
    env: {
      EDGE_PORT: String(port),
      VENDOR_A_API_KEY: 'sim-platform-key',
      VENDOR_A_BASE_URL: `${system.simulator.url}/openai/v1`,
      RATE_REQUESTS: '1000000',
      DRAIN_DELAY_MS: '0',
      ...env,
    },
  })
  return { ...edge, baseURL: `http://127.0.0.1:${port}/v1` }
}

/** Starts a worker process on the database and vendors of `system`. `url` has its health checks and metrics. */
export async function aWorkerProcess(
  system: Surroundings,
  env: Record<string, string | undefined> = {},
): Promise<TestProcess & { url: string }> {
  const { config } = system
  const port = await freePort()
  const vendors = [...config.vendors].flatMap(([label, { credentials, baseUrl }]) => [
    [`${label.toUpperCase()}_API_KEY`, credentials[0]?.apiKey],
    [`${label.toUpperCase()}_BASE_URL`, baseUrl],
  ])
  const worker = await aProcess(system, {
    entry: ['worker/main.ts'],
    port,
    env: {
      WORKER_PORT: String(port),
      MEDIA_FOLDER: config.mediaFolder,
      ...Object.fromEntries(vendors),
      ...env,
    },
  })
  return { ...worker, url: `http://127.0.0.1:${port}` }
}

/** A shared machine may take long to start it. */
const startsWithinMs = 60_000

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + startsWithinMs
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`a process of the test ended with ${child.exitCode}`)
    const isReady = await fetch(url).then(
      response => response.ok,
      () => false,
    )
    if (isReady) return
    await sleep(50)
  }
  child.kill('SIGKILL')
  throw new Error('a process of the test did not become ready')
}
