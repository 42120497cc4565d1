import { expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openKeyCache } from './key-cache.ts'
import { maxComparedKeyAgeMs, maxKeyAgeMs } from './key-revision.ts'

const system = perFile(aSystem)

test('a copy of an unused key serves a request that compares its revision for longer than other requests', async () => {
  const { sql } = system.context
  const { keyId } = await anApiKey(system.context, await anAccount(system.context))
  const [row] = await sql<
    { publicId: string }[]
  >`select public_id as "publicId" from api_keys where id = ${keyId}`
  const { publicId } = row!
  let now = 0
  const cache = openKeyCache(sql, () => now)
  expect(cache.known(publicId)).toBeUndefined()
  await cache.read(publicId)
  now = maxKeyAgeMs
  expect(cache.known(publicId)).toBeUndefined()
  expect(cache.known(publicId, maxComparedKeyAgeMs)).toMatchObject({ keyId })
  // The key is in use again, so it is soon read again.
  await expect.poll(() => cache.known(publicId)).toMatchObject({ keyId })
  now += maxComparedKeyAgeMs
  cache.close()
  expect(cache.known(publicId, maxComparedKeyAgeMs)).toBeUndefined()
})
