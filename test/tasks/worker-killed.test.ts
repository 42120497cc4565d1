import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { aTaskSystem, aWorkerProcess, submit, type TaskSystem } from './a-task-system.ts'

let system: TaskSystem

beforeAll(async () => {
  system = await aTaskSystem({}, { withWorker: false })
}, 60_000)
afterEach(async () => {
  for (const child of system.children) child.kill('SIGKILL')
  await expectLedgerToBalance(system.context.sql)
})
afterAll(() => system.close())

const count = 200

test('workers killed in the middle of many tasks: none is lost, submitted twice, or charged twice', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  system.simulator.change({ generationMs: 600, latencyMs: 40 })
  const keys = collectKeys()
  let worker = await aWorkerProcess(system)
  const kinds = [
    { model: 'vendor_i/reel', prompt: 'A paper boat' },
    { model: 'vendor_o/tempo', prompt: 'Rain' },
  ]
  const paths = ['/videos/generations', '/audio/generations']
  const submitting = Array.from({ length: count }, (_, at) =>
    submit(system, client, kinds[at % 2]!, paths[at % 2]),
  )
  const ids = await Promise.all(submitting)
  for (let killed = 0; killed < 3; killed++) {
    await sleep(350 + killed * 300)
    const next = aWorkerProcess(system)
    await worker.kill()
    worker = await next
  }
  const left = async () => {
    const [row] = await system.context.sql<{ open: number }[]>`
      select count(*)::int as open from tasks where account_id = ${client.accountId} and finished_at is null`
    return row?.open
  }
  await expect.poll(left, { timeout: 30_000, interval: 100 }).toBe(0)
  const rows = await system.context.sql`
    select status, count(*)::int as tasks from tasks where account_id = ${client.accountId} group by status`
  expect([...rows]).toEqual([{ status: 'success', tasks: count }])

  expect([...keys.stop()].sort()).toEqual(ids.toSorted())
  const made = await system.context.sql`
    select distinct upstream ->> 'id' as made from tasks where account_id = ${client.accountId}`
  expect(made).toHaveLength(count)
  const charged = await system.context.sql`
    select task_id from transactions where account_id = ${client.accountId} and task_id is not null`
  expect(charged.map(row => row.task_id).sort()).toEqual(ids.toSorted())
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: 0n })
  await worker.kill()
}, 90_000)

test('a worker killed while it submits to a vendor without idempotency keys: the task has failed and is released', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  system.simulator.change({ latencyMs: 2_000 })
  const worker = await aWorkerProcess(system)
  const id = await submit(system, client, { model: 'vendor_k/flipbook', prompt: 'Waves' })
  await expect.poll(() => system.simulator.calls.length, { timeout: 5_000, interval: 10 }).toBe(1)
  await worker.kill()
  system.simulator.change({ latencyMs: 0 })
  const other = await aWorkerProcess(system)
  expect(await system.ended(client, id, 15_000)).toMatchObject({
    status: 'failed',
    error: { code: 'interrupted' },
  })
  expect(system.simulator.calls).toHaveLength(1)
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
    held: 0n,
    credits: 100_000_000_000n,
  })
  await other.kill()
}, 60_000)

test('a worker killed while a vendor makes speech in its answer: it is made anew, and charged once', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  system.simulator.change({ latencyMs: 2_000 })
  const worker = await aWorkerProcess(system)
  const id = await submit(
    system,
    client,
    { model: 'vendor_n/herald', input: 'Good morning' },
    '/audio/speech',
  )
  await expect.poll(() => system.simulator.calls.length, { timeout: 5_000, interval: 10 }).toBe(1)
  await worker.kill()
  system.simulator.change({ latencyMs: 0 })
  await aWorkerProcess(system)
  expect(await system.ended(client, id, 15_000)).toMatchObject({ status: 'success' })
  const charged = await system.context.sql`select * from transactions where task_id = ${id}`
  expect(charged).toHaveLength(1)
}, 60_000)

test('a worker that is drained finishes or gives back what it runs: another goes on at once', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  system.simulator.change({ generationMs: 1_500, latencyMs: 0 })
  const worker = await aWorkerProcess(system)
  const ids = await Promise.all(
    Array.from({ length: 10 }, () =>
      submit(system, client, { model: 'vendor_i/reel', prompt: 'A paper boat' }),
    ),
  )
  await expect.poll(() => submits().length, { timeout: 5_000 }).toBe(10)
  const other = await aWorkerProcess(system)
  worker.process.kill('SIGTERM')
  for (const id of ids) expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  expect(submits()).toHaveLength(10)
  await expect.poll(() => worker.process.exitCode, { timeout: 10_000 }).toBe(0)
  await other.kill()
}, 60_000)

function submits() {
  return system.simulator.calls.filter(({ method, path }) => method === 'POST' && path.startsWith('/queue/'))
}

/** The idempotency keys of all submits from now on: the simulator remembers its last thousand calls alone. */
function collectKeys() {
  const keys = new Set<string>()
  const collect = () => {
    for (const { headers } of submits()) keys.add(String(headers['idempotency-key']))
  }
  const timer = setInterval(collect, 20)
  return {
    stop() {
      clearInterval(timer)
      collect()
      return keys
    },
  }
}
