import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../dev/services/ports.ts'
import type { EdgeSystem } from './an-edge.ts'

export interface EdgeProcess {
  baseURL: string
  process: ChildProcess
  /** `kill -9`, and wait until it is gone. */
  kill(): Promise<void>
}

/** An edge in a process of its own, on the database and Redis prefix of `system`: one that can be killed. */
export async function anEdgeProcess(
  system: EdgeSystem,
  env: Record<string, string> = {},
): Promise<EdgeProcess> {
  const port = await freePort()
  const { config, simulator } = system
  const child = spawn(process.execPath, ['inference-edge/main.ts'], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: 'ignore', // it must not hold the test's own output open
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: config.databaseUrl,
      REDIS_URL: config.redisUrl,
      REDIS_PREFIX: config.redisPrefix,
      EDGE_PORT: String(port),
      VENDOR_A_API_KEY: 'sim-platform-key',
      VENDOR_A_BASE_URL: `${simulator.url}/openai/v1`,
      ALLOW_LOOPBACK: 'true',
      RATE_REQUESTS: '1000000',
      DRAIN_DELAY_MS: '0',
      LOG_LEVEL: 'silent',
      ...env,
    },
  })
  const exited = once(child, 'exit')
  system.children.add(child)
  child.once('exit', () => system.children.delete(child))
  await answersReady(`http://127.0.0.1:${port}/readyz`, child)
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    process: child,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function answersReady(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`the edge ended with ${child.exitCode}`)
    const ready = await fetch(url).then(
      response => response.ok,
      () => false,
    )
    if (ready) return
    await sleep(50)
  }
  child.kill('SIGKILL')
  throw new Error('the edge did not become ready')
}
