import { afterEach, expect, test } from 'vitest'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeContext, openContext } from '../../domain/context.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { aClient } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPostgresProxy } from '../harness/postgres/a-postgres-proxy.ts'
import { aNewTask } from './a-task.ts'
import { aTaskSystem, submit } from './a-task-system.ts'

// Redis is not there at all.
const system = perFile(() => aTaskSystem({ REDIS_URL: 'redis://127.0.0.1:1' }))
afterEach(() => expectLedgerToBalance(system.context.sql))

const reel = { model: 'vendor_i/reel', prompt: 'A paper boat' }

test('without Redis tasks are submitted, carried and polled as ever', async () => {
  const client = await aClient(system)
  const id = await submit(system, client, reel)
  expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
})

test('every connection to Postgres cut again and again while tasks run: each ends, and is charged once', async () => {
  const client = await aClient(system)
  system.simulator.change({ generationMs: 1_000 })
  const ids = await Promise.all(Array.from({ length: 20 }, () => submit(system, client, reel)))
  for (let cut = 0; cut < 4; cut++) {
    await new Promise(resolve => setTimeout(resolve, 500))
    await system.database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'worker%'`
  }
  for (const id of ids) expect(await system.ended(client, id, 40_000)).toMatchObject({ status: 'success' })
  const charged = await system.context.sql`
    select task_id from transactions where account_id = ${client.accountId} and task_id is not null`
  expect(charged.map(row => row.task_id).sort()).toEqual(ids.toSorted())
  system.simulator.change({ generationMs: 100 })
}, 60_000)

test('a submit that Postgres took, and whose answer never came: refused; then withdrawn or refunded', async () => {
  const client = await aClient(system)
  const proxy = await aPostgresProxy(system.config.databaseUrl)
  const context = openContext({ ...system.config, databaseUrl: proxy.url }, { name: 'edge' })
  const ledger = await openLedger(context, { kind: 'edge' })
  try {
    // All later connections have prepared the statement.
    const warm = Array.from({ length: 20 }, () =>
      submitTask({ context, ledger: directLedger(ledger) }, aNewTask(context, client)),
    )
    for (const { id } of await Promise.all(warm)) await system.ended(client, id)
    const before = await balanceOf(system.context.sql, client.accountId)
    for (const fault of ['takes;ms=60000', 'takes;ms=0']) {
      const parameters = { prompt: `A paper boat [[fault: ${fault}]]`, duration: 5, resolution: '720p' }
      const task = aNewTask(context, client, { parameters })
      proxy.swallowAnswersTo(task.id)
      await expect(submitTask({ context, ledger: directLedger(ledger) }, task)).rejects.toMatchObject({
        errorName: 'settlement_unknown',
      })
      proxy.swallowAnswersTo('nothing any more')
      const state = async () =>
        (await system.context.sql`select status, cost_nanos from tasks where id = ${task.id}`)[0]
      const status = fault === 'takes;ms=0' ? 'success' : 'cancelled'
      await expect.poll(state, { timeout: 20_000 }).toEqual({ status, cost_nanos: 0n })
      expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
        credits: before.credits,
        held: 0n,
      })
    }
  } finally {
    await closeLedger(ledger)
    await proxy.close()
    await closeContext(context)
  }
}, 60_000)
