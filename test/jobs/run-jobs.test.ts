import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { addJob } from '../../platform/jobs/add-job.ts'
import { forgetFailedJobs } from '../../platform/jobs/forget-failed-jobs.ts'
import type { Job } from '../../platform/jobs/job.ts'
import { openLiveness } from '../../platform/jobs/open-liveness.ts'
import { openRunner } from '../../platform/jobs/open-runner.ts'
import { runJobs } from '../../platform/jobs/run-jobs.ts'
import { openLog } from '../../platform/log.ts'
import { aDatabase, aDatabaseForThisTest, type TestDatabase } from '../harness/a-database.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const database = perFile(aDatabase)

test('a job is run at once with its payload, in order of its queue, and never by two', async () => {
  const { sql } = database
  const seen: number[] = []
  let running = 0
  const count: Job<null, { number: number }> = {
    name: 'count',
    async run(_services, { number }) {
      expect(++running).toBe(1)
      await sleep(2)
      seen.push(number)
      running--
    },
  }
  aRunner(database, { jobs: [count] })
  aRunner(database, { jobs: [count] })
  for (let number = 0; number < 20; number++)
    await addJob(sql, { name: 'count', payload: { number }, queueName: 'one' })
  await expect.poll(() => seen.length).toBe(20)
  expect(seen).toEqual(Array.from({ length: 20 }, (_, number) => number))
  await expect.poll(() => waiting(database)).toEqual([])
})

test('a job added with the rest of a transaction is there with its commit alone', async () => {
  const { sql } = database
  const seen: string[] = []
  aRunner(database, {
    jobs: [{ name: 'note', run: async (_, { text }: { text: string }) => void seen.push(text) }],
  })
  const add = (text: string, commit: boolean) =>
    sql.begin(async transaction => {
      await addJob(transaction, { name: 'note', payload: { text } })
      if (!commit) throw new Error('rolled back')
    })
  await expect(add('never', false)).rejects.toThrow('rolled back')
  await add('once', true)
  await expect.poll(() => seen).toEqual(['once'])
})

test('a job that throws is tried again, later, and is one line in the log without what it carries', async () => {
  const lines: string[] = []
  const tries: number[] = []
  aRunner(database, {
    log: openLog({ level: 'info', name: 'test', destination: { write: line => lines.push(line) } }),
    jobs: [
      {
        name: 'stumble',
        async run(_services, _payload, { attempt }) {
          tries.push(attempt)
          if (attempt === 1) throw new Error('it broke')
        },
      },
    ],
  })
  await addJob(database.sql, { name: 'stumble', payload: { private: 'not-for-the-log' } })
  await expect.poll(() => tries, { timeout: 10_000 }).toEqual([1, 2])
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { job: 'stumble', attempt: 1, error: 'it broke' },
  ])
  expect(lines.join()).not.toContain('not-for-the-log')
})

test('a job that adds itself again under its key is there once, and `keep` leaves it as it is', async () => {
  const { sql } = database
  await addJob(sql, { name: 'later', payload: { number: 1 }, key: 'k', afterMs: 60_000 })
  await addJob(sql, { name: 'later', payload: { number: 2 }, key: 'k', afterMs: 60_000 })
  await addJob(sql, { name: 'later', payload: { number: 3 }, key: 'k', keyMode: 'keep' })
  const rows = await sql`
    select payload, run_at > now() + interval '50 seconds' as later from graphile_worker._private_jobs where key = 'k'`
  expect([...rows]).toEqual([{ payload: { number: 2 }, later: true }])
  await sql`select graphile_worker.remove_job('k')`
})

test('closing waits for what runs, and gives back what only waits', async () => {
  const own = await aDatabaseForThisTest()
  let [begun, ended] = [0, 0]
  const slow: Job<null> = {
    name: 'slow',
    async run() {
      begun++
      await sleep(300)
      ended++
    },
  }
  const runner = aRunner(own, { jobs: [slow], atOnce: 2 })
  for (let at = 0; at < 5; at++) await addJob(own.sql, { name: 'slow', payload: {} })
  await expect.poll(() => begun, { interval: 10 }).toBe(2)
  await runner.close()
  expect({ begun, ended }).toEqual({ begun: 2, ended: 2 })
  expect(await waiting(own)).toEqual(['slow', 'slow', 'slow'])
})

test('the jobs of a killed runner are run by another; a runner that is alive keeps its jobs', async () => {
  const own = await aDatabaseForThisTest()
  const killed = fork(new URL('./run-jobs-forever.ts', import.meta.url), [own.url], { execArgv: [] })
  onTestFinished(() => void killed.kill('SIGKILL'))
  for (let at = 0; at < 8; at++) await addJob(own.sql, { name: 'run', payload: { at } })
  await once(killed, 'message')

  const runs: string[] = []
  const runOnce = (runner: string): Job<null> => ({
    name: 'run',
    async run() {
      runs.push(runner)
      await sleep(4_500) // longer than a dead one is left alone: a living one is not taken for dead
    },
  })
  aRunner(own, { jobs: [runOnce('first')], graceMs: 1 })
  aRunner(own, { jobs: [runOnce('second')], graceMs: 1 })
  await sleep(2_500)
  expect(runs).toEqual([])
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await expect.poll(() => runs.length, { interval: 20 }).toBe(8)
  await sleep(2_500)
  expect(runs.length).toBe(8)
})

test('a runner whose connections are all cut goes on by itself, and keeps the jobs that it runs', async () => {
  const own = await aDatabaseForThisTest()
  const runs: number[] = []
  const note: Job<null, { number: number }> = {
    name: 'note',
    async run(_services, { number }) {
      runs.push(number)
      await sleep(number === 1 ? 4_000 : 0)
    },
  }
  aRunner(own, { jobs: [note] })
  aRunner(own, { jobs: [note] })
  await addJob(own.sql, { name: 'note', payload: { number: 1 } })
  await expect.poll(() => runs).toEqual([1])
  await own.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name in ('test-runner', 'test-alive')`
  await addJob(own.sql, { name: 'note', payload: { number: 2 } })
  await expect.poll(() => runs).toEqual([1, 2])
  await expect.poll(() => waiting(own), { timeout: 10_000 }).toEqual([])
  expect(runs).toEqual([1, 2])
}, 30_000)

test('jobs that were given up are forgotten after a week', async () => {
  const own = await aDatabaseForThisTest()
  for (const name of ['old', 'new', 'waiting']) await addJob(own.sql, { name, payload: {}, maxAttempts: 1 })
  await own.sql`
    update graphile_worker._private_jobs j set attempts = 1, updated_at = now() - interval '8 days'
    from graphile_worker._private_tasks t where t.id = j.task_id and t.identifier = 'old'`
  await own.sql`
    update graphile_worker._private_jobs j set attempts = 1
    from graphile_worker._private_tasks t where t.id = j.task_id and t.identifier = 'new'`
  expect(await forgetFailedJobs({ sql: own.sql, clock: systemClock })).toBe(1)
  expect(await waiting(own)).toEqual(['new', 'waiting'])
})

function aRunner(
  { url }: TestDatabase,
  options: Partial<Parameters<typeof runJobs<null>>[0]>,
): ReturnType<typeof runJobs> {
  const log = openLog({ level: 'silent', name: 'test' })
  const liveness = openLiveness({ url, name: 'test', log })
  const common = { url, name: 'test', log, liveness, services: null, jobs: [], atOnce: 8, graceMs: 1_000 }
  const runner = runJobs({ ...common, ...options })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= runner.close().then(() => liveness.close())
    return closed
  }
  onTestFinished(close)
  return { close }
}

async function waiting({ sql }: TestDatabase): Promise<string[]> {
  const rows = await sql<
    { name: string }[]
  >`select task_identifier as name from graphile_worker.jobs order by id`
  return rows.map(row => row.name)
}

test('Postgres may end the connections of a runner while it ends: the error reaches no one unhandled', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const name = 'ends'
  const log = openLog({ level: 'silent', name })
  const liveness = forThisTest(openLiveness({ url, name, log }))
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('uncaughtException', note).on('unhandledRejection', note)
  onTestFinished(() => void process.off('uncaughtException', note).off('unhandledRejection', note))
  for (let time = 0; time < 12; time++) {
    const options = { url, name, log, services: null, liveness, jobs: [], atOnce: 5, graceMs: 500 }
    const runner = await openRunner(options)
    await sleep(time < 8 ? time : time * 6)
    const ending = runner.end()
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${`${name}-runner`}`
    await ending
  }
  await sleep(100)
  expect(unhandled).toEqual([])
}, 60_000)
