import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { aClient, clientOf, type TestClient } from '../harness/a-client.ts'
import { aWorkerProcess, type TestProcess } from '../harness/a-process.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aTaskSystem, submit } from './a-task-system.ts'

/** The one worker that lives between two tests. */
let worker: TestProcess

const system = perFile(() => aTaskSystem({}, { withWorker: false }))
beforeAll(async () => {
  worker = await aWorkerProcess(system)
})
beforeEach(() => system.simulator.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

const count = 120
const atOnce = 20

test('workers killed in the middle of many tasks: none is lost, submitted twice, or charged twice', async () => {
  const client = await aClient(system)
  system.simulator.change({ generationMs: 600, latencyMs: 40 })
  const keys = collectKeys()
  const finished = async () => {
    const [row] = await system.context.sql<{ tasks: number }[]>`
      select count(finished_at)::int as tasks from tasks where account_id = ${client.accountId}`
    return row?.tasks
  }
  const untilFinished = (tasks: number) =>
    expect.poll(finished, { timeout: 60_000, interval: 20 }).toBeGreaterThanOrEqual(tasks)
  const submitting = submitMany(client)
  await untilFinished(count / 12)
  const [second, third] = await Promise.all([aWorkerProcess(system), aWorkerProcess(system), worker.kill()])
  worker = third
  await untilFinished(count / 3)
  await second.kill()
  const ids = await submitting
  await untilFinished(count)
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
}, 150_000)

test('a worker that is drained finishes or gives back what it runs: another goes on at once', async () => {
  const client = await aClient(system)
  system.simulator.change({ generationMs: 1_500, latencyMs: 0 })
  const other = await aWorkerProcess(system)
  const ids = await Promise.all(
    Array.from({ length: 10 }, () =>
      submit(system, client, { model: 'vendor_i/reel', prompt: 'A paper boat' }),
    ),
  )
  await expect.poll(() => submits().length, { timeout: 20_000 }).toBe(10)
  worker.process.kill('SIGTERM')
  for (const id of ids) expect(await system.ended(client, id, 40_000)).toMatchObject({ status: 'success' })
  expect(submits()).toHaveLength(10)
  await expect.poll(() => worker.process.exitCode, { timeout: 20_000 }).toBe(0)
  worker = other
}, 120_000)

test('a worker that freezes in the middle of a step: another carries the task, and the first changes nothing later', async () => {
  const client = await aClient(system)
  const { sql } = system.context
  system.simulator.change({ latencyMs: 3_600_000 })
  const id = await submit(system, client, { model: 'vendor_i/reel', prompt: 'A paper boat' })
  await expect.poll(() => submits().length).toBe(1)
  worker.process.kill('SIGSTOP')
  system.simulator.change({ latencyMs: 0 })
  const other = await aWorkerProcess(system)
  await sql`update workers set heartbeat_at = now() - interval '1 minute'` // as if that time had passed
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
  const [ended] = await sql`select * from tasks where id = ${id}`
  expect(ended?.step).toBeGreaterThan(1n)

  worker.process.kill('SIGCONT')
  const alive = () =>
    sql`select id from workers where not is_dead and heartbeat_at > now() - interval '3 seconds'`
  await expect.poll(async () => (await alive()).length).toBe(4) // two processes, under a new id of the frozen one
  expect(await sql`select * from tasks where id = ${id}`).toEqual([ended])
  await other.kill()
  const next = await submit(system, client, { model: 'vendor_i/reel', prompt: 'A paper boat' })
  expect(await system.ended(client, next)).toMatchObject({ status: 'success' })
}, 120_000)

/** Submits `count` tasks, `atOnce` at a time, and retries when the response asks for it. Returns their IDs. */
async function submitMany(client: TestClient): Promise<string[]> {
  const { post } = clientOf(system, client)
  const ids: string[] = []
  const submitOne = async (at: number): Promise<void> => {
    const isVideo = at % 2 === 0
    const body = isVideo
      ? { model: 'vendor_i/reel', prompt: 'A paper boat' }
      : { model: 'vendor_o/tempo', prompt: 'Rain' }
    const path = isVideo ? '/videos/generations' : '/audio/generations'
    for (;;) {
      const response = await post(path, body, { 'idempotency-key': `task-${at}` })
      const answer = await response.json()
      if (response.status === 200) return void ids.push(answer.id)
      if (response.status !== 503) throw new Error(JSON.stringify(answer))
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000)
    }
  }
  let next = 0
  const lane = async () => {
    while (next < count) await submitOne(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return ids
}

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
