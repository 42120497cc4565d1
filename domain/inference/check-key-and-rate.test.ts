import { beforeAll, expect, test, vi } from 'vitest'
import { openRedis, type RedisClient } from '../../platform/redis/open-redis.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { directLedger, directRates } from '../committer/open-committer.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import { closeLedger, openLedger } from '../ledger/open-ledger.ts'
import { openRates } from '../rates/check-rate.ts'
import { revisionName } from '../rates/rate-script.ts'
import { checkKeyAndRate, limitsOf } from './check-key-and-rate.ts'
import { closeInference, type Inference, openInference } from './open-inference.ts'

/** Time for Redis to respond on a busy machine, in milliseconds. */
const patientMs = 10_000

const system = perFile(aSystem)
const inference = perFile(async () => {
  const { redis, config, log } = system.context
  const ledger = await openLedger(system.context, { kind: 'edge' })
  const { redisUrl: url, redisPrefix: prefix, redisCluster: isCluster } = config
  const scripts = openRedis({ url, cluster: isCluster, name: 'test', commandTimeoutMs: patientMs })
  const rates = openRates({ redis, scripts, prefix, log, isCluster, answerWithinMs: patientMs })
  const committer = {
    ledger: directLedger(ledger),
    rates: directRates(rates, ledger),
    isAvailable: true,
    close: () => closeLedger(ledger),
  }
  return { ...(await openInference(system.context, committer)), scripts }
}, close)

async function close(opened: Inference & { scripts: RedisClient }): Promise<void> {
  opened.scripts.disconnect()
  await closeInference(opened)
}

beforeAll(async () => {
  const connections = [system.context.redis, inference.scripts]
  await vi.waitUntil(() => connections.every(({ status }) => status === 'ready'))
})

/** A request with the secret of the key. */
const checkOf = ({ hmac }: CachedKey) => ({
  tokens: 0,
  clientAddress: '127.0.0.1',
  hmacs: [Buffer.from(hmac)],
  patience: { leftMs: 2_000 },
})

test.each([
  ['does not know the key', undefined],
  ['has an older revision, since a change was never announced', '3'],
])('where Redis %s, Postgres is asked once and Redis told', async (_, told) => {
  const { keyId, accountId, publicId } = await aKeyOfRevision(5n)
  const name = revisionName(system.config.redisPrefix, accountId, keyId)
  if (told) await system.context.redis.set(name, told)
  const key = (await inference.keys.read(publicId))!
  const read = vi.spyOn(inference.keys, 'read')
  await checkKeyAndRate(inference, key, checkOf(key))
  await expect.poll(() => system.context.redis.get(name)).toBe('5')
  for (let times = 0; times < 3; times++) await checkKeyAndRate(inference, key, checkOf(key))
  expect(read).toHaveBeenCalledTimes(1)
  read.mockRestore()
})

test('a newer revision in Redis stays, and the key is read', async () => {
  const { keyId, accountId, publicId } = await aKeyOfRevision(5n)
  const name = revisionName(system.config.redisPrefix, accountId, keyId)
  const key = (await inference.keys.read(publicId))!
  await system.context.sql`update api_keys set revision = 6 where id = ${keyId}`
  await system.context.redis.set(name, '6')
  const allowed = await checkKeyAndRate(inference, key, checkOf(key))
  expect(allowed.key.revision).toBe(6n)
  expect(await system.context.redis.get(name)).toBe('6')
})

test('a request that meets a changed key counts once if the limits are the same, else by the new limits', async () => {
  const { context } = system
  const { keyId, accountId, publicId } = await aKeyOfRevision(5n)
  const change = async (revision: string, limit: number) => {
    await context.sql`update api_keys set revision = ${revision}, rate_limit_rpm = ${limit} where id = ${keyId}`
    await context.redis.set(revisionName(system.config.redisPrefix, accountId, keyId), revision)
  }
  await change('6', 2)
  const key = (await inference.keys.read(publicId))!
  const ask = () => checkKeyAndRate(inference, key, checkOf(key))
  await change('7', 2)
  expect((await ask()).result.left.rpm).toBe(1)
  await change('8', 1)
  await expect(ask()).rejects.toMatchObject({ errorName: 'rate_limit_exceeded' })
})

test('a tier leaves the account at least what one key may do; what an operator set is the limit', async () => {
  const { context } = system
  const { publicId } = await aKeyOfRevision(1n)
  const key = (await inference.keys.read(publicId))!
  const limits = (own: [string, number][]) => limitsOf(context, { ...key, ownAllowances: new Map(own) })
  expect(limits([['key_requests', 9_000]])).toMatchObject({ burst: 9_000, account: 9_000 })
  expect(limits([['requests', 5]])).toMatchObject({ account: 5 })
})

async function aKeyOfRevision(revision: bigint) {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const [row] = await system.context.sql<{ publicId: string }[]>`
    update api_keys set revision = ${revision} where id = ${keyId} returning public_id as "publicId"`
  return { accountId, keyId, publicId: row!.publicId }
}
