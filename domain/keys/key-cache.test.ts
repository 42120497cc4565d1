import { expect, onTestFinished, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openKeyCache } from './key-cache.ts'
import { maxComparedKeyAgeMs, maxKeyAgeMs } from './key-revision.ts'

const system = perFile(aSystem)

test('a copy of an unused key serves a request that compares its revision for longer than other requests', async () => {
  const { sql } = system.context
  const { keyId, publicId } = await aKey()
  let now = 0
  const cache = openKeyCache(sql, () => now)
  expect(cache.known(publicId)).toBeUndefined()
  await cache.read(publicId)
  now = maxKeyAgeMs
  expect(cache.known(publicId)).toBeUndefined()
  expect(cache.known(publicId, maxComparedKeyAgeMs)).toMatchObject({ keyId })
  // The key is in use again, so it is soon compared.
  await expect.poll(() => cache.known(publicId)).toMatchObject({ keyId })
  now += maxComparedKeyAgeMs
  cache.close()
  expect(cache.known(publicId, maxComparedKeyAgeMs)).toBeUndefined()
})

test('the copy of a key in use is read again once its revision has changed, and otherwise after 30 seconds', async () => {
  const { sql } = system.context
  const { keyId, publicId } = await aKey()
  let now = 0
  const cache = openKeyCache(sql, () => now)
  onTestFinished(() => cache.close())
  const key = await cache.read(publicId)
  await sql`update api_keys set disabled = true where id = ${keyId}`
  now = maxKeyAgeMs - 1
  cache.known(publicId)
  now = maxKeyAgeMs
  await expect.poll(() => cache.known(publicId)).toBe(key)
  await sql`update api_keys set revision = revision + 1 where id = ${keyId}`
  await expect.poll(() => cache.known(publicId)).toMatchObject({ disabled: true })
  await sql`update api_keys set disabled = false where id = ${keyId}`
  now += 30_000
  expect(cache.known(publicId, 60_000)).toMatchObject({ disabled: true })
  await expect.poll(() => cache.known(publicId)).toMatchObject({ disabled: false })
})

test('a copy that is too old hides no copy in use from the comparison', async () => {
  const { sql } = system.context
  const [{ keyId, publicId }, idle] = [await aKey(), await aKey()]
  let now = 0
  const cache = openKeyCache(sql, () => now)
  onTestFinished(() => cache.close())
  await cache.read(idle.publicId)
  now = 10_000
  await cache.read(publicId)
  await sql`update api_keys set disabled = true, revision = revision + 1 where id = ${keyId}`
  const requests = () => [publicId, idle.publicId].map(id => cache.known(id))
  await expect.poll(requests).toMatchObject([{ disabled: true }, {}])
})

async function aKey(): Promise<{ keyId: string; publicId: string }> {
  const { keyId } = await anApiKey(system.context, await anAccount(system.context))
  const [key] = await system.context.sql<{ keyId: string; publicId: string }[]>`
    select id as "keyId", public_id as "publicId" from api_keys where id = ${keyId}`
  return key!
}
