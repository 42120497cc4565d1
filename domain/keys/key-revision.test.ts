import { beforeAll, expect, test, vi } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aMortalContext } from '../../test/harness/postgres/a-mortal-context.ts'
import { suspendAccount } from '../accounts/suspend-account.ts'
import { closeAccount } from '../closures/close-account.ts'
import { revisionName } from '../rates/rate-script.ts'
import { announceKeyChanges, publishRevision } from './key-revision.ts'

const system = perFile(aSystem)

beforeAll(async () => {
  await vi.waitUntil(() => system.context.redis.status === 'ready')
})

const accountId = '0190a8c0-0000-7000-8000-000000000001'
const known = (keyId: string) =>
  system.context.redis.get(revisionName(system.config.redisPrefix, accountId, keyId))

test('a revision is never lowered', async () => {
  const name = revisionName(system.config.redisPrefix, accountId, 'one')
  for (const revision of [7n, 3n])
    expect(await publishRevision(system.context.redis, name, revision)).toBe(true)
  expect(await known('one')).toBe('7')
})

test('many key changes are announced together', async () => {
  const keys = Array.from({ length: 1_700 }, (_, index) => ({
    keyId: `key-${index}`,
    revision: BigInt(index + 1),
  }))
  await announceKeyChanges(system.context, { accountId, keys })
  for (const index of [0, 499, 500, 1_699]) expect(await known(`key-${index}`)).toBe(String(index + 1))
})

test.each([
  ['suspended', suspendAccount],
  ['closed', closeAccount],
])('the revision of a key is raised even if the process dies once its account is %s', async (_, change) => {
  const { accountId: id, keyId } = await aKeyWithCredits(system.context)
  const { context, died } = aMortalContext(system.context, { at: 1, when: 'after' })
  void change(context, { accountId: id, reason: 'a test' })
  await died
  const [key] = await system.context.sql`
    select k.revision, account_refusal(a.suspended_at, a.closed_at) is null as "isAllowed"
    from api_keys k join accounts a on a.id = k.account_id where k.id = ${keyId}`
  expect(key).toEqual({ revision: 2n, isAllowed: false })
})
