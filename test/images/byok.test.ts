import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeAllowance } from '../../domain/accounts/set-allowance.ts'
import { announceKeyChange } from '../../domain/keys/key-revision.ts'
import { aSlowVendor } from '../byok/a-slow-vendor.ts'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { aDataUri } from '../harness/media/media-files.ts'
import { perFile } from '../harness/per-file.ts'

let client: TestClient
/** A model of images that are polled, at a vendor of whom customers have keys. */
const polled = 'vendor_a/polled'
const system = perFile(() =>
  aByokSystem({}, ({ models }) => {
    const canvas = models.find(({ model }) => model === 'vendor_f/canvas')
    if (canvas) models.push({ ...canvas, id: 'text-to-image.own', model: polled, provider: 'vendor_a' })
  }),
)
beforeEach(async () => {
  system.simulator.reset()
  client = await aClient(system, { creditNanos: 1_000_000_000n })
})
afterEach(() => expectLedgerToBalance(system.context.sql))

const ask = (body: object = {}) =>
  client.post('/images/generations', { model: 'vendor_a/mural', prompt: 'A cat', ...body })
const spent = async () => 1_000_000_000n - (await balanceOf(system.context.sql, client.accountId)).credits

test("an account's own credential makes its images: nothing is held or charged", async () => {
  const poor = await aClient(system, { creditNanos: 0n })
  const { id } = await system.aCredential(poor, 'sim-own-1')
  const response = await poor.post('/images/generations', { model: 'vendor_a/mural', prompt: 'A cat', n: 3 })
  expect(response.status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-own-1'])
  expect((await system.rowOf(id)).last_used_at).not.toBeNull()
  expect(await logsOf(system, poor)).toMatchObject([{ byok_id: id, cost_nanos: 0n, status: 200 }])
})

test('one that fails is passed over: the platform answers, and is paid', async () => {
  const { id } = await system.aCredential(client, 'sim-bad-own')
  expect((await ask({ quality: 'low' })).status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-bad-own', 'sim-platform-key'])
  expect((await system.rowOf(id)).last_error).toContain('401')
  expect(await spent()).toBe(11_000_000n)
})

test('with always_use the platform is not asked, and its error is told', async () => {
  await system.aCredential(client, 'sim-bad-own', { alwaysUse: true })
  const response = await ask()
  expect(response.status).toBeGreaterThanOrEqual(400)
  expect(system.usedKeys()).toEqual(['sim-bad-own'])
  expect(await spent()).toBe(0n)
})

test('a key revoked between two tries: the next one is not made, nothing is charged', async () => {
  const vendor = await aSlowVendor()
  await system.aCredential(client, 'sim-first', { baseUrl: vendor.url })
  const asked = ask()
  await vendor.called
  const { context } = system
  const { accountId, keyId } = client
  const [row] = await context.sql<{ revision: bigint }[]>`
    update api_keys set revoked_at = now(), revision = revision + 1 where id = ${keyId} returning revision`
  await announceKeyChange(context, { accountId, keyId, revision: row!.revision })
  vendor.fail()
  const response = await asked
  expect([response.status, await response.json()]).toEqual([
    401,
    { code: 401, msg: 'You do not have access permissions' },
  ])
  expect(system.usedKeys()).toEqual([])
  expect(await spent()).toBe(0n)
})

test('an image that is polled counts as one call with the own credential', async () => {
  const own = { alwaysUse: true, baseUrl: `${system.simulator.url}/queue` }
  await system.aCredential(client, 'sim-own-polled', own)
  await changeAllowance(system.context, { accountId: client.accountId, resource: 'own_calls', limit: 1 })
  expect((await ask({ model: polled })).status).toBe(200)
  expect((await ask({ model: polled })).status).toBe(429)
})

test('every format takes it, edits included', async () => {
  await system.aCredential(client, 'sim-own-c', { provider: 'vendor_c' })
  await system.aCredential(client, 'sim-own-a')
  for (const model of ['vendor_c/vista-edit', 'vendor_a/mural-edit'])
    expect((await ask({ model, image_urls: [aDataUri('png')], n: 2 })).status).toBe(200)
  expect(await spent()).toBe(0n)
})

test('what its own credential makes is stored up to an amount a day', async () => {
  const own = await aClient(system, { creditNanos: 0n })
  await system.aCredential(own, 'sim-own-1', { alwaysUse: true })
  const make = (of: TestClient, more: object = {}) =>
    of.post('/images/generations', { model: 'vendor_a/mural', prompt: 'A cat', ...more })
  expect((await make(client)).status).toBe(200)
  const [made] = await system.context.sql<{ bytes: number }[]>`
    select bytes::float8 as bytes from media_files where account_id = ${client.accountId}`
  const limit = Math.ceil(made!.bytes * 1.5)
  for (const { accountId } of [own, client])
    await changeAllowance(system.context, { accountId, resource: 'own_result_bytes', limit })
  expect((await make(own)).status).toBe(200)
  const refused = await make(own)
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { error: { code: 'allowance_exceeded', param: 'own_result_bytes' } },
  ])
  expect((await make(own, { response_format: 'b64_json' })).status).toBe(200)
  expect((await make(client)).status).toBe(200)
})
