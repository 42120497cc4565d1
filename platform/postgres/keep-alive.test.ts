import { Socket } from 'node:net'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { entities } from '../../schema/entities/entities.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { openRedis, openRedisListener } from '../redis/open-redis.ts'
import { openOrm } from './open-orm.ts'

test('TCP probes every connection to Postgres and Redis after seconds, from both sides', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const probed = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const idleMs = () => probed.mock.calls.map(([, ms]) => ms)
  onTestFinished(() => void vi.restoreAllMocks())
  const shown = [{ tcp_keepalives_idle: '5' }]

  expect(await sql`show tcp_keepalives_idle`).toEqual(shown)
  const orm = openOrm({ url, name: 'test', entities })
  expect(await orm.em.execute('show tcp_keepalives_idle')).toEqual(shown)
  await orm.close()
  expect(idleMs()).toEqual([5_000, 5_000])

  for (const client of [
    openRedis({ url: inject('redisUrl'), cluster: false, name: 'test' }),
    openRedisListener({ url: inject('redisUrl'), cluster: false, name: 'test' }),
  ]) {
    await expect.poll(() => client.status).toBe('ready')
    client.disconnect()
  }
  expect(idleMs().slice(2)).toEqual([5_000, 5_000])
})
