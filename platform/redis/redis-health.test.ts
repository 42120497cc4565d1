import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import { systemClock } from '../clock.ts'
import { openLog } from '../log.ts'
import { openRedis } from './open-redis.ts'
import { watchRedis } from './redis-health.ts'

test('a stopped Redis is warned about once a minute, counted, and reported again when it is back', async () => {
  const [binary, port] = [await ensureRedisServer(), await freePort()]
  let server = await startRedis({ binary, port })
  onTestFinished(() => server.stop())
  const redis = openRedis({ url: server.url, cluster: false, name: 'test' })
  onTestFinished(() => redis.disconnect())
  const { log, lines } = aLog()
  let now = 0
  const watch = watchRedis(redis, { log, clock: { now: Date.now, monotonic: () => now }, isNone: false })
  onTestFinished(() => watch.close())
  await vi.waitUntil(() => watch.state === 'ok', { timeout: 10_000 })

  await server.stop()
  await vi.waitUntil(() => watch.state === 'unavailable', { timeout: 10_000 })
  const failures = watch.failures
  await redis.get('any').catch(() => {})
  expect(watch.failures).toBeGreaterThan(failures)
  await watch.check()
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('Redis is unavailable') }])
  now += 60_000
  await watch.check()
  await watch.check()
  expect(lines).toHaveLength(2)
  expect(lines[1]?.redisFailures).toBeGreaterThan(lines[0]?.redisFailures ?? 0)

  server = await startRedis({ binary, port })
  await vi.waitUntil(() => watch.state === 'ok', { timeout: 10_000 })
  expect(lines.slice(2)).toMatchObject([{ level: 30, msg: 'Redis is back', downMs: 60_000 }])
})

test('a process that starts warns only after five checks without an answer', async () => {
  const redis = openRedis({ url: `redis://127.0.0.1:${await freePort()}`, cluster: false, name: 'test' })
  onTestFinished(() => redis.disconnect())
  const { log, lines } = aLog()
  const watch = watchRedis(redis, { log, clock: systemClock, isNone: false })
  onTestFinished(() => watch.close())
  for (let turn = 1; turn < 4; turn++) await watch.check()
  expect(lines).toEqual([])
  for (let turn = 4; turn < 6; turn++) await watch.check()
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('Redis is unavailable') }])
})

function aLog() {
  const lines: { level: number; redisFailures: number; msg: string }[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  return { lines, log: openLog({ level: 'info', name: 'test', destination }) }
}
