import { expect, inject, onTestFinished, test } from 'vitest'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import { aPostgresProxy } from '../../test/harness/postgres/a-postgres-proxy.ts'
import { openRedis } from './open-redis.ts'

test('a server that does not answer for two seconds counts as lost: commands then fail at once', async () => {
  const server = await startRedis({ binary: await ensureRedisServer() })
  onTestFinished(() => server.stop())
  const client = openRedis({ url: server.url, cluster: false, name: 'test' })
  onTestFinished(() => client.disconnect())
  const outcome = () => client.ping().catch((error: Error) => error.message)
  await expect.poll(outcome).toBe('PONG')
  process.kill(server.pid, 'SIGSTOP')
  expect(await outcome()).toBe('Command timed out')
  await expect.poll(outcome).toContain("Stream isn't writeable")
  process.kill(server.pid, 'SIGCONT')
  await expect.poll(outcome).toBe('PONG')
})

test('after a failover behind one address, the client leaves the server that was demoted', async () => {
  const first = await startRedis({ binary: await ensureRedisServer() })
  onTestFinished(() => first.stop())
  const address = await aPostgresProxy(first.url)
  onTestFinished(() => address.close())
  const options = { cluster: false, name: 'test', commandTimeoutMs: 5_000 }
  const client = openRedis({ ...options, url: address.url })
  const admin = openRedis({ ...options, url: first.url })
  onTestFinished(() => {
    for (const each of [client, admin]) each.disconnect()
  })
  await expect.poll(() => client.set('demoted-server', 1).catch(String)).toBe('OK')

  await admin.call('REPLICAOF', '127.0.0.1', '1')
  address.switchTo(inject('redisUrl'))
  await expect(client.set('demoted-server', 2)).rejects.toThrow('READONLY')
  await expect.poll(() => client.set('demoted-server', 3).catch(String)).toBe('OK')
  await client.del('demoted-server')
})
