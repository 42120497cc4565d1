import { expect, onTestFinished, test } from 'vitest'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openKeyCache, readKeys } from './key-cache.ts'
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

test('plans that were made while there were few keys read no whole table later', async () => {
  const { database } = system
  const { publicId } = await aKey()
  const sql = openPostgres({ url: database.url, name: 'keys', maxConnections: 1 })
  onTestFinished(() => sql.end())
  await sql`vacuum analyze accounts, api_keys, balances, memberships, users`
  const use = () =>
    Promise.all([readKeys(sql, [publicId], 0), sql`select from changed_keys(${[publicId]}, array[1])`])
  await use()
  await sql`insert into accounts (id, name) select gen_random_uuid(), 'test' from generate_series(1, ${keyCount})`
  await sql`
    insert into api_keys (account_id, id, public_id, name, key_hmac, key_prefix)
    select id, id, id::text, 'test', sha256(id::text::bytea), '' from accounts`
  const before = await rowsRead(sql)
  await use()
  expect((await rowsRead(sql)) - before).toBeLessThan(keyCount)
})

const keyCount = 1_000

async function rowsRead(sql: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  await sql`select 1`
  const [row] = await sql<{ rows: number }[]>`
    select sum(seq_tup_read + idx_tup_fetch)::float8 as rows from pg_stat_user_tables
    where relname in ('accounts', 'api_keys', 'balances', 'memberships', 'users')`
  return row!.rows
}

async function aKey(): Promise<{ keyId: string; publicId: string }> {
  const { keyId } = await anApiKey(system.context, await anAccount(system.context))
  const [key] = await system.context.sql<{ keyId: string; publicId: string }[]>`
    select id as "keyId", public_id as "publicId" from api_keys where id = ${keyId}`
  return key!
}
