import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import type { Config } from '../../platform/config/read-config.ts'

type Env = Record<string, string>

/** NODE_OPTIONS of a process that throws an exception at each SIGUSR2. */
export const throwOnSignal = `--import ${new URL('throw-on-signal.ts', import.meta.url)}`

/** NODE_OPTIONS of an edge whose workers freeze after SIGTERM, for longer than one process has to close. */
export const stallOnStop = `--import ${new URL('stall-on-stop.ts', import.meta.url)}`

/** `npm run edge` on the databases of a system, and what it says. It ends with the test. */
export async function runEdge(config: Config, env: Env = {}) {
  const port = await freePort()
  return run('inference-edge/main.ts', port, { ...databasesOf(config), EDGE_PORT: String(port), ...env })
}

/** `npm run control`, likewise. */
export async function runControl(config: Config, env: Env = {}) {
  const port = await freePort()
  return run('gateway/main.ts', port, { ...databasesOf(config), CONTROL_PORT: String(port), ...env })
}

function databasesOf(config: Config): Env {
  const { databaseUrl, redisUrl, redisPrefix } = config
  return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: redisPrefix }
}

function run(entry: string, port: number, env: Env) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const loader = entry.startsWith('gateway/') ? ['--import', 'tsx'] : [] // the graph has decorators
  const child = spawn(process.execPath, [...loader, entry], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, NODE_COMPILE_CACHE, DRAIN_DELAY_MS: '0', SHUTDOWN_GRACE_MS: '2000', ...env },
  })
  const said = { out: '', fault: '' }
  child.stdout.on('data', part => (said.out += part))
  child.stderr.on('data', part => (said.fault += part))
  const ended = once(child, 'close').then(([code]) => ({ code, fault: said.fault }))
  onTestFinished(() => void child.kill('SIGKILL'))
  const logLines = (): LogLine[] =>
    said.out
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line))
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    /** Its exit code, and all that it said on the standard error. */
    ended,
    tell: (signal: NodeJS.Signals) => child.kill(signal),
    /** Everything that it wrote. */
    words: () => said.out + said.fault,
    logLines,
    /** Waits for `count` lines with this message. */
    async linesSaying(msg: string, count: number) {
      const found = () => logLines().filter(line => line.msg === msg)
      await expect.poll(() => found().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count)
      return found()
    },
  }
}

/** One line of a log, by its fields. */
export type LogLine = Record<string, unknown>
