import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { aDatabaseForThisTest, type TestDatabase } from '../../test/harness/a-database.ts'
import { openLog } from '../log.ts'
import type { Chore } from './chore.ts'
import { runChores } from './run-chores.ts'

test('one of several workers at a time runs a chore, and a run that fails does not end the repetition', async () => {
  const database = await aDatabaseForThisTest()
  let [running, runs] = [0, 0]
  const chore: Chore<null> = {
    name: 'repeat',
    everyMs: 20,
    async run() {
      expect(++running).toBe(1)
      await sleep(50)
      running--
      if (++runs === 2) throw new Error('it failed')
    },
  }
  for (let worker = 0; worker < 3; worker++) aWorker(database, [chore])
  await expect.poll(() => runs).toBeGreaterThan(3)
})

const aWorkerThatFroze = '00000000-0000-4000-8000-000000000000'

test.each([
  ['its row is missing', 'delete from chores'],
  [
    'its connections are cut',
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'test%'
    and datname = current_database() and pid <> pg_backend_pid()`,
  ],
  [
    'the worker that ran it froze',
    `update chores set worker = '${aWorkerThatFroze}', due_at = now() + interval '1 second'`,
  ],
  ['the clock of Postgres was 75 days ahead', "update chores set due_at = now() + interval '75 days'"],
])('a chore goes on after %s', async (_, fault) => {
  const database = await aDatabaseForThisTest()
  let runs = 0
  aWorker(database, [{ name: 'repeat', everyMs: 100, run: async () => void runs++ }])
  await expect.poll(() => runs).toBeGreaterThan(0)
  await database.sql.unsafe(fault)
  const before = runs
  await expect.poll(() => runs).toBeGreaterThan(before + 1)
})

test('a worker whose chore another has taken over leaves it to that one', async () => {
  const database = await aDatabaseForThisTest()
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { close } = aWorker(database, [
    {
      name: 'slow',
      everyMs: 1,
      run() {
        begun.resolve()
        return ending.promise
      },
    },
  ])
  await begun.promise
  await database.sql`update chores set worker = ${aWorkerThatFroze}, due_at = now() + interval '9 seconds'`
  ending.resolve()
  await close()
  const [row] = await database.sql`select worker from chores`
  expect(row).toMatchObject({ worker: aWorkerThatFroze })
})

function aWorker({ url }: TestDatabase, chores: readonly Chore<null>[]) {
  const log = openLog({ level: 'silent', name: 'test' })
  const worker = runChores({ url, name: 'test', log, services: null, chores, graceMs: 5_000 })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= worker.close()
    return closed
  }
  onTestFinished(close)
  return { close }
}
