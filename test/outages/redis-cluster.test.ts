import { beforeAll, expect, test } from 'vitest'
import { revisionName } from '../../domain/rates/rate-script.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aRedisCluster } from './a-redis-cluster.ts'

const cluster = perFile(() => aRedisCluster({ nodeTimeoutMs: 4_000 }))
const system = perFile(() => anEdgeSystem({ REDIS_URL: cluster.url, REDIS_CLUSTER: 'true' }))

/** Clients whose accounts have slots at all masters. */
let clients: TestClient[]
beforeAll(async () => {
  clients = await Promise.all(Array.from({ length: 12 }, () => aClient(system, { rpm: 6 })))
})

const nameOf = ({ accountId, keyId }: TestClient) => revisionName(system.config.redisPrefix, accountId, keyId)
const statusOf = async (client: TestClient) => (await client.post('/chat/completions', saying('Hi'))).status
const askAll = () => Promise.all(clients.map(statusOf))
const isAtRedis = (client: TestClient) =>
  system.context.redis.exists(nameOf(client)).then(
    () => true,
    () => false,
  )

test('a master fails under load: its accounts keep their limits, nothing waits, and its replica takes over', async () => {
  await expect.poll(() => system.context.redisHealth.state).toBe('ok')
  // On a busy machine, Redis may answer the first request too late to receive the revision of the key.
  for (let turn = 0; turn < 2; turn++) expect(new Set(await askAll())).toEqual(new Set([200]))
  await expect
    .poll(() => Promise.all(clients.map(client => system.context.redis.get(nameOf(client)))))
    .not.toContain(null)
  const heard: unknown[] = []
  system.context.news.subscribe('test', message => heard.push(message))
  const hears = async () => {
    const known = heard.length
    await expect
      .poll(async () => {
        await system.context.news.publish('test', 'news')
        return heard.length
      })
      .toBeGreaterThan(known)
  }
  await hears()

  const [doomed] = clients
  if (!doomed) throw new Error('there are clients')
  await cluster.killMasterOf(nameOf(doomed))
  await expect.poll(() => isAtRedis(doomed)).toBe(false)
  expect(new Set(await askAll())).toEqual(new Set([200]))
  await expect.poll(() => system.context.redisHealth.state).toBe('partial')
  // This process continues from what Redis answered: each account has used three of its six requests.
  for (let turn = 0; turn < 3; turn++) expect(new Set(await askAll())).toEqual(new Set([200]))
  expect(new Set(await askAll())).toEqual(new Set([429]))
  await hears()

  await system.context.sql`
    update api_keys set revoked_at = now(), revision = revision + 1 where id = ${doomed.keyId}`
  expect(await statusOf(doomed)).toBe(401)

  await expect.poll(() => isAtRedis(doomed), { timeout: 30_000 }).toBe(true)
  await expect.poll(() => system.context.redisHealth.state).toBe('ok')
  expect(await statusOf(doomed)).toBe(401)
  await hears()
  await expectLedgerToBalance(system.context.sql)
}, 90_000)
