import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openRedis } from '../../platform/redis/open-redis.ts'
import { aManagedHouse, type ManagedHouse } from '../../test/harness/a-management-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { readKeys } from '../keys/cached-key.ts'
import { createKey } from '../keys/create-key.ts'
import { openKeyCache } from '../keys/key-cache.ts'
import { keyCopyLifeMs, revisionName } from '../keys/key-revision.ts'
import { hmacOfKey, parseKeyText } from '../keys/key-text.ts'
import { openByokCache } from './byok-cache.ts'
import { createCredential } from './create-credential.ts'
import { deleteCredential } from './delete-credential.ts'
import { updateCredential } from './update-credential.ts'

let house: ManagedHouse
beforeAll(async () => {
  house = await aManagedHouse()
})
afterAll(() => house.close())

const settings = { label: 'ours', apiKey: 'sk-of-the-account' }
const add = (accountId: string) =>
  createCredential(house.management(), { accountId, provider: 'vendor_a', settings })

const copyOf = async (text: string) => {
  const [copy] = await readKeys(house.context.sql, [parseKeyText(text)!.publicId], performance.now())
  return copy!
}
const announced = (accountId: string, keyId: string) =>
  house.context.redis.get(revisionName(house.config.redisPrefix, accountId, keyId))

test('each change gives the account a new revision, and every key of it, and no other', async () => {
  const [{ accountId }, other] = [await anAccount(house.context), await anAccount(house.context)]
  const [one, two] = [
    await anApiKey(house.context, { accountId }),
    await anApiKey(house.context, { accountId }),
  ]
  const stranger = await anApiKey(house.context, other)
  const seen = async () => {
    const copies = [await copyOf(one.text), await copyOf(two.text)]
    for (const { keyId, revision } of copies) expect(await announced(accountId, keyId)).toBe(String(revision))
    return copies.map(({ byokRevision, revision }) => [byokRevision, revision])
  }
  const { id } = await add(accountId)
  expect(await seen()).toEqual([
    [1n, 2n],
    [1n, 2n],
  ])
  await updateCredential(house.management(), { accountId, id, changes: { disabled: true } })
  expect(await seen()).toEqual([
    [2n, 3n],
    [2n, 3n],
  ])
  await deleteCredential(house.management(), { accountId, id })
  expect(await seen()).toEqual([
    [3n, 4n],
    [3n, 4n],
  ])
  expect(await copyOf(stranger.text)).toMatchObject({ byokRevision: 0n, revision: 1n })
})

test('what is refused changes no revision', async () => {
  const { accountId } = await anAccount(house.context)
  const key = await anApiKey(house.context, { accountId })
  const { id } = await add(accountId)
  const changes = { label: 'renamed', baseUrl: 'https://evil.example' }
  await expect(updateCredential(house.management(), { accountId, id, changes })).rejects.toThrow(/apiKey/)
  await expect(deleteCredential(house.management(), { accountId, id: accountId })).rejects.toThrow(
    /No credential/,
  )
  expect(await copyOf(key.text)).toMatchObject({ byokRevision: 1n, revision: 2n })
  const [row] = await house.context.sql`select label from provider_credentials where id = ${id}`
  expect(row!.label).toBe('ours')
})

test('once a change is confirmed, every process finds the credentials as they are now', async () => {
  const { accountId } = await anAccount(house.context)
  const key = await anApiKey(house.context, { accountId })
  const { publicId } = parseKeyText(key.text)!
  const hmac = hmacOfKey(house.config.keyPepper, key.text)
  const processes = Array.from({ length: 2 }, () => ({
    keys: openKeyCache(house.context.sql, () => performance.now()),
    byok: openByokCache(house.context),
  }))
  onTestFinished(async () => {
    for (const { keys, byok } of processes) {
      keys.close()
      await byok.close()
    }
  })
  /** What a request does: its copy of the key, or what Postgres says where Redis knows another revision. */
  const found = async ({ keys, byok }: (typeof processes)[number]) => {
    const known = (await keys.find(publicId, hmac))!
    const told = await announced(accountId, key.keyId)
    const copy = told === String(known.revision) ? known : (await keys.read(publicId))!
    return (await byok.find(accountId, copy.byokRevision, 'vendor_a')).map(({ id }) => id)
  }
  for (let round = 0; round < 3; round++) {
    const { id } = await add(accountId)
    for (const one of processes) expect(await found(one)).toEqual([id])
    await updateCredential(house.management(), { accountId, id, changes: { disabled: true } })
    for (const one of processes) expect(await found(one)).toEqual([])
    await updateCredential(house.management(), { accountId, id, changes: { disabled: false } })
    for (const one of processes) expect(await found(one)).toEqual([id])
    await deleteCredential(house.management(), { accountId, id })
    for (const one of processes) expect(await found(one)).toEqual([])
  }
})

test('where Redis is away, a change is confirmed when no copy can be believed any more', async () => {
  const { accountId } = await anAccount(house.context)
  await anApiKey(house.context, { accountId })
  const context = house.management()
  const redis = openRedis({ url: 'redis://127.0.0.1:1', cluster: false, name: 'nowhere' })
  onTestFinished(() => redis.disconnect())
  const startedAt = performance.now()
  await createCredential({ ...context, redis }, { accountId, provider: 'vendor_a', settings })
  expect(performance.now() - startedAt).toBeGreaterThan(keyCopyLifeMs)
})

test('changes and new keys at the same time neither wait in a circle nor miss each other', async () => {
  const { accountId } = await anAccount(house.context)
  const made = { accountId, createdBy: null, settings: { name: 'made meanwhile' } }
  const [keys] = await Promise.all([
    Promise.all(Array.from({ length: 6 }, () => createKey(house.management(), made))),
    Promise.all(Array.from({ length: 6 }, () => add(accountId))),
  ])
  for (const { text } of keys) expect(await copyOf(text)).toMatchObject({ byokRevision: 6n })
  const [row] = await house.context.sql<{ count: bigint }[]>`
    select count(*) from provider_credentials where account_id = ${accountId}`
  expect(row!.count).toBe(6n)
})
