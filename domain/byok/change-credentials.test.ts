import { expect, onTestFinished, test } from 'vitest'
import { openRedis } from '../../platform/redis/open-redis.ts'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { changeAllowance } from '../accounts/set-allowance.ts'
import { createKey } from '../keys/create-key.ts'
import { readKeys } from '../keys/key-cache.ts'
import { maxComparedKeyAgeMs } from '../keys/key-revision.ts'
import { parseKeyText } from '../keys/key-text.ts'
import { revisionName } from '../rates/rate-script.ts'
import { deleteCredential, updateCredential } from './change-credentials.ts'
import { createCredential } from './create-credential.ts'

const system = perFile(aManagedSystem)

const settings = { label: 'ours', apiKey: 'sk-of-the-account' }
const add = (accountId: string) =>
  createCredential(system.management(), { accountId, provider: 'vendor_a', settings })

const copyOf = async (text: string) => {
  const [copy] = await readKeys(system.context.sql, [parseKeyText(text)!.publicId], performance.now())
  return copy!
}
const announced = (accountId: string, keyId: string) =>
  system.context.redis.get(revisionName(system.config.redisPrefix, accountId, keyId))

test('each change gives the account a new revision, and every key of it, and no other', async () => {
  const [{ accountId }, other] = [await anAccount(system.context), await anAccount(system.context)]
  const [one, two] = [
    await anApiKey(system.context, { accountId }),
    await anApiKey(system.context, { accountId }),
  ]
  const stranger = await anApiKey(system.context, other)
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
  await updateCredential(system.management(), { accountId, id, changes: { disabled: true } })
  expect(await seen()).toEqual([
    [2n, 3n],
    [2n, 3n],
  ])
  await deleteCredential(system.management(), { accountId, id })
  expect(await seen()).toEqual([
    [3n, 4n],
    [3n, 4n],
  ])
  expect(await copyOf(stranger.text)).toMatchObject({ byokRevision: 0n, revision: 1n })
})

test('what is refused changes no revision', async () => {
  const { accountId } = await anAccount(system.context)
  const key = await anApiKey(system.context, { accountId })
  const { id } = await add(accountId)
  const changes = { label: 'renamed', baseUrl: 'https://evil.example' }
  await expect(updateCredential(system.management(), { accountId, id, changes })).rejects.toThrow(/apiKey/)
  await expect(deleteCredential(system.management(), { accountId, id: accountId })).rejects.toThrow(
    /no credential/,
  )
  expect(await copyOf(key.text)).toMatchObject({ byokRevision: 1n, revision: 2n })
  const [row] = await system.context.sql`select label from provider_credentials where id = ${id}`
  expect(row!.label).toBe('ours')
})

test('where Redis is down, a change is confirmed when no cached copy is used any more', async () => {
  const { accountId } = await anAccount(system.context)
  await anApiKey(system.context, { accountId })
  const context = system.management()
  const redis = openRedis({ url: 'redis://127.0.0.1:1', cluster: false, name: 'nowhere' })
  onTestFinished(() => redis.disconnect())
  const startedAt = performance.now()
  await createCredential({ ...context, redis }, { accountId, provider: 'vendor_a', settings })
  expect(performance.now() - startedAt).toBeGreaterThan(maxComparedKeyAgeMs)
})

test('changes and new keys at the same time neither deadlock nor miss each other', async () => {
  const { accountId } = await anAccount(system.context)
  const made = { accountId, createdBy: null, settings: { name: 'made meanwhile' } }
  const [keys] = await Promise.all([
    Promise.all(Array.from({ length: 6 }, () => createKey(system.management(), made))),
    Promise.all(Array.from({ length: 6 }, () => add(accountId))),
  ])
  for (const { text } of keys) expect(await copyOf(text)).toMatchObject({ byokRevision: 6n })
  const [row] = await system.context.sql<{ count: bigint }[]>`
    select count(*) from provider_credentials where account_id = ${accountId}`
  expect(row!.count).toBe(6n)
})

test('an account has at most as many credentials for a vendor as its allowance permits', async () => {
  const { accountId } = await anAccount(system.context)
  await changeAllowance(system.context, { accountId, resource: 'credentials_per_vendor', limit: 2 })
  const added = await Promise.allSettled(Array.from({ length: 4 }, () => add(accountId)))
  expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  await expect(add(accountId)).rejects.toMatchObject({
    errorName: 'conflict',
    message: expect.stringContaining('at most 2 credentials for vendor_a'),
  })
})
