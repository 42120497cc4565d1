import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { announceKeyChange } from '../../domain/keys/key-revision.ts'
import { lapseHolds } from '../../domain/ledger/process-row.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { aClient, clientOf, type TestClient } from '../harness/a-client.ts'
import { anEdgeProcess } from '../harness/a-process.ts'
import { simulatedVendors } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { aMediaEdge, type MediaSystem, theMediaEdge } from '../harness/media/a-media-edge.ts'
import { aDataUri } from '../harness/media/media-files.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

const system = theMediaEdge({ IDLE_TIMEOUT_MS: '500', FIRST_BYTE_TIMEOUT_MS: '2000' })
const credit = 10_000_000_000n

let client: TestClient
beforeEach(async () => {
  system.simulator.reset()
  client = await aClient(system, { creditNanos: credit })
})

const ask = (prompt: string, body: object = {}, by = client) =>
  by.post('/images/generations', { model: 'vendor_f/canvas', prompt, ...body })
const spent = async (of = client) => credit - (await balanceOf(system.context.sql, of.accountId)).credits
const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return [response.status, error.code]
}
const expectNothingHeld = async () =>
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ credits: credit, in_use: 0n })
const submits = () => system.simulator.calls.filter(({ method }) => method === 'POST')

describe('nothing is charged', () => {
  test.each([
    ['vendor_f/canvas', 'refusal', 400, 'content_policy'],
    ['vendor_a/mural', 'refusal', 400, 'moderation_blocked'],
    ['vendor_c/vista', 'refusal', 400, 'content_policy'],
    ['vendor_f/canvas', 'fail;ms=10', 502, 'upstream_error'],
    ['vendor_a/mural', 'fail;ms=10', 502, 'upstream_error'],
    ['vendor_f/canvas', '503', 503, 'upstream_busy'],
    ['vendor_a/mural', '500', 502, 'upstream_error'],
    ['vendor_f/canvas', 'lost', 502, 'upstream_error'],
    ['vendor_a/mural', 'garbage', 502, 'upstream_error'],
    ['vendor_a/mural', 'empty', 502, 'upstream_error'],
    ['vendor_f/canvas', 'file;n=99;status=404', 502, 'upstream_error'],
  ])('where %s meets %s', async (model, fault, status, code) => {
    expect(await errorOf(await ask(`A cat [[fault: ${fault}]]`, { model }))).toEqual([status, code])
    await expectNothingHeld()
    expect((await logsOf(system, client)).at(-1)).toMatchObject({ status, error_code: code, cost_nanos: 0n })
  })

  test('and nothing that the request carried stays stored', async () => {
    const { sql } = system.context
    const stored = () =>
      sql`select 1 from media_files where account_id = ${client.accountId} and kind = 'input'`
    const edit = { model: 'vendor_h/brushwork', image_urls: [aDataUri('png'), aDataUri('jpg')] }
    expect((await ask('[[fault: fail;ms=10]]', edit)).status).toBe(502)
    expect(await stored()).toHaveLength(0)
    expect((await ask('A hat', edit)).status).toBe(200)
    expect(await stored()).toHaveLength(2)
  })
})

test.concurrent.each([
  'takes;ms=1500',
  'poll;n=2;status=503',
  'file;n=2;status=500',
  'file-cut;n=1',
  'file-hang;n=1',
])('what passes is waited for: %s', async fault => {
  const customer = await aClient(system, { creditNanos: credit })
  const response = await ask(`A cat [[fault: ${fault}]]`, { n: 2 }, customer)
  expect(response.status).toBe(200)
  expect(await spent(customer)).toBe(60_000_000n)
})

describe('what came back is charged', () => {
  test('where a vendor made fewer than were asked for', async () => {
    const { data } = (await (await ask('A cat [[fault: fewer;n=2]]', { n: 5 })).json()) as { data: object[] }
    expect(data).toHaveLength(2)
    expect(await spent()).toBe(60_000_000n)
  })

  test('where a vendor that makes one at a time made some', async () => {
    const body = { model: 'vendor_g/fresco', n: 4 }
    const { data } = (await (await ask('A cat [[fault: flaky;n=3;status=400;key=some]]', body)).json()) as {
      data: object[]
    }
    expect(data).toHaveLength(1)
    expect(await spent()).toBe(40_000_000n)
    const [log] = await logsOf(system, client)
    expect(JSON.parse(log!.attempts)).toHaveLength(4)
  })
})

describe('a client that leaves', () => {
  test('while its images are made pays for them, once they are there', async () => {
    const body = { model: 'vendor_f/canvas', prompt: 'A cat [[fault: takes;ms=800]]', n: 2 }
    const leaving = new AbortController()
    const asked = client.post('/images/generations', body, {}, leaving.signal).catch(() => 'left')
    await expect.poll(() => submits().length).toBe(1)
    leaving.abort()
    expect(await asked).toBe('left')
    await expect.poll(() => spent()).toBe(60_000_000n)
    const [log] = await logsOf(system, client)
    expect(log).toMatchObject({ status: 499, error_code: 'client_left', cost_nanos: 60_000_000n })
  })

  test('and sent an Idempotency-Key finds its images with the next try', async () => {
    const headers = { 'idempotency-key': 'later' }
    const body = { model: 'vendor_f/canvas', prompt: 'A cat [[fault: takes;ms=800]]' }
    const leaving = new AbortController()
    const asked = client.post('/images/generations', body, headers, leaving.signal).catch(() => 'left')
    await expect.poll(() => submits().length).toBe(1)
    leaving.abort()
    await asked
    const again = await client.post('/images/generations', body, headers)
    expect(again.status).toBe(200)
    expect(submits()).toHaveLength(1)
    expect(await spent()).toBe(30_000_000n)
  })
})

test('a model that takes longer than it may: 504, nothing charged, cancelled at the vendor', async () => {
  const catalogue = await theCatalogue()
  const models = catalogue.models.map(entry =>
    entry.model === 'vendor_f/canvas-fast' && entry.modality !== 'chat'
      ? { ...entry, generation: { ...entry.generation, time_limit_ms: 1_000 } }
      : entry,
  )
  await applyCatalogue(system.context, { ...catalogue, models })
  await sleep(1_500)
  const response = await ask('A cat [[fault: stuck]]', { model: 'vendor_f/canvas-fast' })
  expect(await errorOf(response)).toEqual([504, 'upstream_timeout'])
  await expectNothingHeld()
  await expect.poll(() => system.simulator.calls.some(({ path }) => path.includes('cancel'))).toBe(true)
})

test('a key that is revoked while a vendor works asks no more: 401, nothing charged, cancelled at the vendor', async () => {
  const asked = ask('A cat [[fault: takes;ms=8000]]')
  await expect.poll(() => submits().length).toBe(1)
  await revoke(client)
  const revokedAt = Date.now()
  const response = await asked
  expect([response.status, await response.json()]).toEqual([
    401,
    { code: 401, msg: 'You do not have access permissions' },
  ])
  await expectNothingHeld()
  const isCancel = ({ path }: { path: string }) => path.includes('cancel')
  await expect.poll(() => system.simulator.calls.some(isCancel)).toBe(true)
  expect(system.simulator.calls.filter(call => call.at > revokedAt && !isCancel(call))).toEqual([])
})

test('an edge killed while images are made: nothing is charged, and its hold lapses', async () => {
  const { vendors } = await theCatalogue()
  const edge = await anEdgeProcess(system, {
    ...simulatedVendors(vendors, system.simulator.url),
    MEDIA_FOLDER: system.folder,
  })
  const asked = clientOf(edge, client)
    .post('/images/generations', {
      model: 'vendor_f/canvas',
      prompt: 'A cat [[fault: takes;ms=60000]]',
      n: 3,
    })
    .catch(() => 'cut')
  await expect.poll(() => submits().length, { timeout: 10_000 }).toBe(1)
  await expect
    .poll(async () => (await balanceOf(system.context.sql, client.accountId)).in_use, { timeout: 10_000 })
    .toBe(90_000_000n)
  await edge.kill()
  expect(await asked).toBe('cut')
  const { sql } = system.context
  await sql`
    update processes set heartbeat_at = '-infinity'
    where id in (select process_id from holds where account_id = ${client.accountId})`
  expect(await lapseHolds({ sql })).toBeGreaterThan(0)
  await expectNothingHeld()
})

describe('a storage that fails', () => {
  let failing: MediaSystem
  beforeAll(async () => {
    failing = await aMediaEdge({ MEDIA_FOLDER: `${import.meta.filename}/none` })
  })
  afterEach(() => expectLedgerToBalance(failing.context.sql))
  afterAll(() => failing.close())

  test('is a 503: nothing is charged, and nothing stays held', async () => {
    const customer = await aClient(failing, { creditNanos: credit })
    const response = await customer.post('/images/generations', {
      model: 'vendor_f/canvas',
      prompt: 'x',
      n: 2,
    })
    expect(await errorOf(response)).toEqual([503, 'unavailable'])
    expect(await balanceOf(failing.context.sql, customer.accountId)).toMatchObject({
      credits: credit,
      in_use: 0n,
    })
  })

  test('does not matter to who wants the images themselves', async () => {
    const customer = await aClient(failing)
    const response = await customer.post('/images/generations', {
      model: 'vendor_f/canvas',
      prompt: 'x',
      response_format: 'b64_json',
    })
    expect(response.status).toBe(200)
  })
})

describe('where no media is stored', () => {
  let without: MediaSystem
  let customer: TestClient
  beforeAll(async () => {
    without = await aMediaEdge({ MEDIA_FOLDER: 'none' })
    customer = await aClient(without)
  })
  afterEach(() => expectLedgerToBalance(without.context.sql))
  afterAll(() => without.close())

  test.each(['vendor_f/canvas', 'vendor_a/mural'])(
    'what %s has at no public address is in the answer itself',
    async model => {
      const { data } = await customer.openai.images.generate({ model, prompt: 'x' })
      expect(data?.[0]?.url).toMatch(/^data:image\/png;base64,/)
    },
  )

  test('images of a request are sent on as they are', async () => {
    const edit = { model: 'vendor_g/fresco-edit', prompt: 'x', image_urls: [aDataUri('png')] }
    expect((await customer.post('/images/edits', edit)).status).toBe(200)
  })

  test('uploads are refused', async () => {
    const response = await customer.post('/uploads', { file: 'data:image/png;base64,AAAA' })
    expect(await errorOf(response)).toEqual([501, 'media_not_stored'])
  })
})

async function revoke({ accountId, keyId }: TestClient): Promise<void> {
  const { context } = system
  const [row] = await context.sql<{ revision: bigint }[]>`
    update api_keys set revoked_at = now(), revision = revision + 1 where id = ${keyId} returning revision`
  await announceKeyChange(context, { accountId, keyId, revision: row!.revision })
}
