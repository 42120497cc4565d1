import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { freePort } from '../dev/services/ports.ts'
import { aSystem } from '../test/harness/a-context.ts'
import { startControl } from './start-control.ts'

/** Runs the control plane. `ended` resolves to its exit code and output. */
function run(words: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'gateway/main.ts', ...words], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOG_LEVEL: 'silent',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  return { child, ended: ended.then(([[code], out, fault]) => ({ code, out, fault })) }
}

test('it serves requests, becomes ready, and exits with 0 on SIGTERM', async () => {
  const system = await aSystem()
  const port = await freePort()
  const { child, ended } = run([], {
    DATABASE_URL: system.config.databaseUrl,
    REDIS_URL: system.config.redisUrl,
    CONTROL_PORT: String(port),
  })
  const status = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then(answer => answer.status)
  await vi.waitFor(async () => expect(await status('/readyz')).toBe(200), { timeout: 50_000, interval: 100 })
  expect(await status('/healthz')).toBe(200)
  expect(await status('/elsewhere')).toBe(404)
  child.kill('SIGTERM')
  expect(await ended).toEqual({ code: 0, out: '', fault: '' })
  await system.close()
})

test('without its database it stays alive, is not ready, and answers 503', async () => {
  const system = await aSystem()
  const control = await startControl({
    ...system.config,
    databaseUrl: 'postgres://postgres@127.0.0.1:1/none',
  })
  const answers = await Promise.all(
    ['/healthz', '/readyz', '/api/v1/me'].map(path =>
      fetch(control.url + path, {
        headers: { authorization: `Bearer sk-rb-${'a'.repeat(12)}-${'b'.repeat(48)}` },
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 503, 503])
  expect(await answers[2]?.json()).toMatchObject({ code: 503, error: { code: 'unavailable' } })
  await control.close()
  await system.close()
})
