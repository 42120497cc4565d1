import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../dev/services/free-port.ts'
import type { Config } from '../../platform/config/read-config.ts'

/** `npm run edge` on the databases of a house, and what it says. It ends with the test. */
export async function runEdge(config: Config, env: Record<string, string> = {}) {
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', 'tsx', 'inference-edge/main.ts'], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: config.databaseUrl,
      REDIS_URL: config.redisUrl,
      REDIS_PREFIX: config.redisPrefix,
      EDGE_PORT: String(port),
      SHUTDOWN_GRACE_MS: '2000',
      ...env,
    },
  })
  const said = { out: '', fault: '' }
  child.stdout.on('data', part => (said.out += part))
  child.stderr.on('data', part => (said.fault += part))
  const ended = once(child, 'close').then(([code]) => ({ code, fault: said.fault }))
  onTestFinished(() => void child.kill('SIGKILL'))
  const logLines = (): Record<string, unknown>[] =>
    said.out
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line))
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    /** Its exit code, and all that it said on the standard error. */
    ended,
    tell: (signal: NodeJS.Signals) => child.kill(signal),
    /** Everything that it wrote. */
    words: () => said.out + said.fault,
    logLines,
    /** The lines with this message, once there are so many. */
    async linesSaying(msg: string, count: number) {
      const found = () => logLines().filter(line => line.msg === msg)
      await expect.poll(() => found().length, { timeout: 15_000 }).toBeGreaterThanOrEqual(count)
      return found()
    },
  }
}
