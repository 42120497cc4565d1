import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { closeAccount } from '../../domain/closures/close-account.ts'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { passTime } from '../harness/postgres/pass-time.ts'
import { aTaskSystem, hasty, poll, submit } from './a-task-system.ts'

vi.setConfig({ testTimeout: 40_000 }) // a task may take as long as `ended` waits

const media = perFile(
  async () => ({ folder: await mkdtemp(join(tmpdir(), 'rubicon-media-')) }),
  ({ folder }) => rm(folder, { recursive: true, force: true }),
)
const system = perFile(() => aTaskSystem({ FIRST_BYTE_TIMEOUT_MS: '2500', MEDIA_FOLDER: media.folder }))
afterEach(() => expectLedgerToBalance(system.context.sql))

const image = 'https://images.example/cat.png'
const inline =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const reel = { model: 'vendor_i/reel', prompt: 'A paper boat' }
const price = 350_000_000n

test.concurrent.each<[string, object, string, string?]>([
  ['profile A', { model: 'vendor_i/troupe', prompt: 'A cat', image_urls: [image] }, 'video/mp4'],
  ['profile B', { model: 'vendor_j/likeness', prompt: 'A cat', image_urls: [inline] }, 'video/mp4'],
  ['profile C', { model: 'vendor_l/ensemble-fast', prompt: '@1', image_urls: [image] }, 'video/mp4'],
  ['profile D', { model: 'vendor_l/ensemble', prompt: '@1', image_urls: [image] }, 'video/mp4'],
  ['a queue of requests', reel, 'video/mp4'],
  ['long-running operations', { model: 'vendor_j/sonora', prompt: 'Waves' }, 'video/mp4'],
  ['a queue of predictions', { model: 'vendor_k/flipbook', prompt: 'Waves' }, 'video/mp4'],
  ['speech, made at once', { model: 'vendor_n/herald', input: 'Hello' }, 'audio/mpeg', 'audio/speech'],
  ['music', { model: 'vendor_o/tempo', prompt: 'Rain' }, 'audio/wav', 'audio/generations'],
  ['a song', { model: 'vendor_p/ballad', prompt: 'A ballad' }, 'audio/mpeg', 'audio/generations'],
])('%s is made, hosted and charged once', async (_, body, type, path = 'videos/generations') => {
  const client = await aClient(system)
  const before = await balanceOf(system.context.sql, client.accountId)
  const id = await submit(system, client, body, `/${path}`)
  const task = await system.ended(client, id)
  const [row] = await system.context.sql<
    { held: bigint }[]
  >`select price_nanos as held from tasks where id = ${id}`
  const { held } = row!
  const data = [{ url: expect.stringContaining('/results/') }]
  expect(task).toMatchObject({ status: 'success', data, cost: Number(held) / 1e9 })
  const stored = await storedAt(task.data?.[0]?.url)
  expect(stored).toMatchObject({ content_type: type, task_id: id })
  expect(Number(stored.bytes)).toBeGreaterThan(100)
  const after = await balanceOf(system.context.sql, client.accountId)
  expect(after).toMatchObject({ held: 0n, in_use: 0n, credits: before.credits - held })
  const charged = await system.context.sql`select * from transactions where task_id = ${id}`
  expect(charged).toHaveLength(1)
  expect(await logsOf(system, client)).toMatchObject([{ status: 200, cost_nanos: held }])
})

test.concurrent.each([
  ['fail', 'generation_failed'],
  ['refusal', 'content_policy'],
])('a generation that ends with %s has failed, with its reason, and is not charged', async (fault, code) => {
  const client = await aClient(system)
  const id = await submit(system, client, faulty(fault))
  expect(await system.ended(client, id)).toMatchObject({ status: 'failed', error: { code, message: /\w/ } })
  await expectReleased(client)
})

test.concurrent.each([
  ['lost', 'failed'],
  ['poll;n=5;status=404', 'success'],
])(
  'a vendor that does not know a generation is asked again for minutes: %s ends as %s',
  async (fault, status) => {
    const client = await aClient(system)
    const id = await submit(system, client, faulty(fault))
    const ended = async () => {
      await passTime(system.context.sql, '40 seconds')
      return (await poll(system, client, id)).status
    }
    await expect.poll(ended).toBe(status)
  },
)

test.concurrent('a request that the vendor finds invalid has failed with its words, and its inputs expire', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, { ...faulty('422'), model: hasty, image_urls: [inline] })
  expect(await system.ended(client, id)).toMatchObject({
    status: 'failed',
    error: { code: 'invalid_request' },
  })
  await expectReleased(client)
  const [input] = await system.context.sql<{ name: string }[]>`
    select name from media_files where account_id = ${client.accountId}`
  expect((await fetch(`${system.context.config.mediaUrl}/${input!.name}`)).status).toBe(410)
})

test.concurrent('a vendor that is stuck past the time limit of its model: timed out and released', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, { ...faulty('stuck'), model: hasty, image_urls: [image] })
  expect(await system.ended(client, id)).toMatchObject({ status: 'failed', error: { code: 'timed_out' } })
  await expectReleased(client)
})

test.concurrent.each([
  'poll;n=3;status=503;ms=10',
  'poll;n=2;status=429;ms=10',
  'flaky;n=2;status=503',
  'file;n=1;status=503',
  'file-cut;n=1',
])('an outage of the vendor is survived: %s', async fault => {
  const client = await aClient(system)
  const id = await submit(system, client, faulty(fault))
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
})

test.concurrent('a vendor that never answers the submit is not asked twice where it honours no idempotency key', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, { model: 'vendor_k/flipbook', prompt: 'Never [[fault: hang]]' })
  expect(await system.ended(client, id)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
  const asked = system.simulator.calls.filter(({ body }) => JSON.stringify(body).includes('Never'))
  expect(asked).toHaveLength(1)
  await expectReleased(client)
})

test.concurrent('where it does, it is asked again under the same key, and makes one', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, { ...reel, prompt: 'Cut [[fault: cut]]' })
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  const asked = system.simulator.calls.filter(({ body }) => JSON.stringify(body).includes('Cut'))
  expect(asked.length).toBeGreaterThan(1)
  expect(new Set(asked.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([id]))
})

test.concurrent('progress is kept where the vendor tells, and never goes back', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, {
    model: 'vendor_j/sonora',
    prompt: 'Waves [[fault: takes;ms=700]]',
  })
  const seen: (number | null)[] = []
  while ((await poll(system, client, id)).status === 'pending') {
    const [row] = await system.context.sql<
      { progress: number | null }[]
    >`select progress from tasks where id = ${id}`
    seen.push(row?.progress ?? null)
    await sleep(20)
  }
  const told = seen.filter(progress => progress !== null)
  expect(told).toEqual(told.toSorted((a, b) => a - b))
})

test.concurrent.each([
  ['requests', { model: 'vendor_i/troupe', image_urls: [image] }],
  ['predictions', { model: 'vendor_k/flipbook' }],
])('a running task is cancelled at a vendor with a queue of %s, and released', async (_, body) => {
  const client = await aClient(system)
  const id = await submit(system, client, { ...body, prompt: 'A cat [[fault: takes;ms=60000]]' })
  await untilRunning(id)
  const response = await remove(client, id)
  expect([response.status, await response.json()]).toMatchObject([
    200,
    { status: 'failed', error: { code: 'cancelled' } },
  ])
  const { upstream } = (await stateOf(id)) ?? {}
  const isCancel = ({ path }: { path: string }) => path.endsWith(`/${upstream.id}/cancel`)
  expect(system.simulator.calls.filter(isCancel)).toHaveLength(1)
  await expectReleased(client, 499)
})

test.concurrent('where the vendor cannot cancel it is a 409, and the task goes on', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, {
    model: 'vendor_j/sonora',
    prompt: 'Waves [[fault: takes;ms=1500]]',
  })
  await untilRunning(id)
  const response = await remove(client, id)
  expect([response.status, await response.json()]).toMatchObject([
    409,
    { error: { code: 'task_not_cancellable' } },
  ])
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  expect((await remove(client, id)).status).toBe(409)
})

test('a task of a model that has left the catalogue is carried to its end', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, {
    model: 'vendor_k/flipbook',
    prompt: 'Waves [[fault: takes;ms=800]]',
  })
  await untilRunning(id)
  await system.context.sql`update models set is_active = false where model = 'vendor_k/flipbook'`
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  await system.context.sql`update models set is_active = true where model = 'vendor_k/flipbook'`
})

const ends = {
  'its key is revoked': (client: TestClient) => system.context.sql`
    update api_keys set revoked_at = now(), revision = revision + 1 where id = ${client.keyId}`,
  'its account is closed': ({ accountId }: TestClient) =>
    closeAccount(system.context, { accountId, reason: 'a test' }),
}

test.each(['its key is revoked', 'its account is closed'] as const)(
  'a task runs when %s: it is finished and charged, since it was accepted',
  async event => {
    const client = await aClient(system)
    const id = await submit(system, client, faulty('takes;ms=600'))
    await untilRunning(id)
    await ends[event](client)
    await expect
      .poll(() => stateOf(id), { timeout: 20_000 })
      .toMatchObject({ status: 'success', cost_nanos: price })
  },
)

test.each([
  ['its key is revoked', 'key_revoked', 401],
  ['its account is closed', 'account_closed', 403],
] as const)('a task was not sent when %s: it has failed, and is released', async (event, code, status) => {
  const client = await aClient(system)
  const id = await submit(system, client, faulty('flaky;n=9;status=503'))
  await expect
    .poll(() => stateOf(id), { timeout: 20_000, interval: 20 })
    .toMatchObject({ status: 'submitting' })
  await ends[event](client)
  await expect
    .poll(() => stateOf(id), { timeout: 20_000 })
    .toMatchObject({ status: 'failed', error_code: code, cost_nanos: 0n })
  await expectReleased(client, status)
})

test('a result that cannot be stored leaves the task pending, not lost and not charged, until it can', async () => {
  const client = await aClient(system)
  const results = join(media.folder, 'results')
  const id = await submit(system, client, faulty('takes;ms=800'))
  await untilRunning(id)
  await mkdir(results, { recursive: true })
  await rename(results, `${results}.away`)
  await writeFile(results, 'no folder')
  try {
    await expect
      .poll(() => stateOf(id), { timeout: 20_000 })
      .toMatchObject({ status: 'storing', failures: 1 })
    expect(await poll(system, client, id)).toMatchObject({ status: 'pending' })
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: price })
    expect((await remove(client, id)).status).toBe(409) // it is made: nothing can be cancelled
  } finally {
    await rm(results)
    await rename(`${results}.away`, results)
  }
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  await expect.poll(() => stateOf(id)).toMatchObject({ cost_nanos: price })
})

test('each change of a task is told to whoever watches', async () => {
  const client = await aClient(system)
  const told: unknown[] = []
  const stop = system.context.news.subscribe(`tasks:${client.accountId}`, message => told.push(message))
  await sleep(100) // until Redis knows of the subscription
  const id = await submit(system, client, reel)
  await system.ended(client, id)
  await expect.poll(() => told.length).toBeGreaterThan(3)
  stop()
  expect(told).toEqual(told.map(() => ({ id })))
})

function faulty(fault: string) {
  return { ...reel, prompt: `A paper boat [[fault: ${fault}]]` }
}

function remove(client: TestClient, id: string): Promise<Response> {
  const headers = { authorization: `Bearer ${client.text}` }
  return fetch(`${system.baseURL}/videos/generations/${id}`, { method: 'DELETE', headers })
}

async function stateOf(id: string) {
  const [row] = await system.context
    .sql`select status, cost_nanos, upstream, failures, error_code from tasks where id = ${id}`
  return row
}

function untilRunning(id: string) {
  const isRunning = async () => expect(await stateOf(id)).toMatchObject({ status: 'running' })
  return vi.waitFor(isRunning, { timeout: 20_000, interval: 20 })
}

async function storedAt(url: string | undefined) {
  const name = url?.slice(url.indexOf('results/')) ?? ''
  const [row] = await system.context
    .sql`select * from media_files where name = ${name} and stored_at is not null`
  if (!row) throw new Error(`nothing is stored at ${url}`)
  return row
}

async function expectReleased(client: TestClient, status?: number): Promise<void> {
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
    credits: 100_000_000_000n,
    held: 0n,
  })
  expect(await logsOf(system, client)).toMatchObject([{ cost_nanos: 0n, ...(status && { status }) }])
}
