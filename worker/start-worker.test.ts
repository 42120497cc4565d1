import { expect, test } from 'vitest'
import { aSystem } from '../test/harness/a-context.ts'
import { perFile } from '../test/harness/per-file.ts'
import { startWorker } from './start-worker.ts'

const system = perFile(() => aSystem({ WORKER_PORT: '0' }))

test('what a dead process held is free again, also once every job is lost; a living one keeps its holds', async () => {
  const { sql, ids } = system.context
  const worker = await startWorker(system.config)
  await expect.poll(async () => (await sql`select from chores`).length).toBeGreaterThan(1)
  await sql`delete from graphile_worker._private_jobs`
  const [dead, living, accountId] = [ids.uuid(), ids.uuid(), ids.uuid()]
  await sql`
    insert into processes (id, kind, heartbeat_at)
    values (${dead}, 'edge', now() - interval '1 minute'), (${living}, 'edge', now() + interval '1 minute')`
  await sql`insert into balances (account_id, credits_nanos, held_nanos) values (${accountId}, 100, 30)`
  await sql`
    insert into holds (account_id, id, process_id, amount_nanos, in_use_nanos)
    values (${accountId}, ${ids.uuid()}, ${dead}, 10, 10), (${accountId}, ${ids.uuid()}, ${living}, 20, 20)`
  const held = async () => {
    const [row] = await sql<{ held: bigint }[]>`
      select held_nanos as held from balances where account_id = ${accountId}`
    return row?.held
  }

  await expect.poll(held).toBe(20n)
  await worker.close()
  expect(await sql`select id from processes`).toEqual([{ id: living }])
})

test('it says that it lives and that it is ready, and stops listening when it is closed', async () => {
  const worker = await startWorker(system.config)
  const statusOf = (path: string) => fetch(`${worker.url}${path}`).then(({ status }) => status)
  expect(await statusOf('/healthz')).toBe(200)
  expect(await statusOf('/readyz')).toBe(200)
  expect(await statusOf('/other')).toBe(404)
  await worker.close()
  await expect(statusOf('/healthz')).rejects.toThrow()
})

test('without its database it lives, but is not ready', async () => {
  const nowhere = { ...system.config, databaseUrl: 'postgres://postgres@127.0.0.1:1/none' }
  const worker = await startWorker(nowhere)
  const statusOf = (path: string) => fetch(`${worker.url}${path}`).then(({ status }) => status)
  expect(await statusOf('/healthz')).toBe(200)
  expect(await statusOf('/readyz')).toBe(503)
  await worker.close()
})
