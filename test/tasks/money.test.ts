import { afterEach, expect, test } from 'vitest'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { claimKey } from '../../domain/idempotency/claim-key.ts'
import { runOnce, type Try } from '../../domain/idempotency/run-once.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { reserve } from '../../domain/ledger/reserve.ts'
import { settle } from '../../domain/ledger/settle.ts'
import { cancelTask } from '../../domain/tasks/cancel-task.ts'
import { finishTask, type TaskEnd } from '../../domain/tasks/finish-task.ts'
import { findTask } from '../../domain/tasks/read-task.ts'
import { recoverTasks } from '../../domain/tasks/recover-tasks.ts'
import { type NewTask, submitTask } from '../../domain/tasks/submit-task.ts'
import { changeTask, readTaskInProgress } from '../../domain/tasks/task-steps.ts'
import { withdrawTask } from '../../domain/tasks/withdraw-task.ts'
import { Problem } from '../../schema/errors.ts'
import { aSystem } from '../harness/a-context.ts'
import { aKeyWithCredits } from '../harness/an-account.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { aRequestRecord } from '../harness/ledger/a-request-record.ts'
import { perFile } from '../harness/per-file.ts'
import { aNewTask, failure, success } from './a-task.ts'

const system = perFile(() => aSystem({ ALLOWANCES: 'running_tasks=20/20' }))
const ledger = perFile(() => openLedger(system.context, { kind: 'edge' }), closeLedger)
afterEach(() => expectLedgerToBalance(system.context.sql))

test('a submit holds the price; success charges it with one transaction and one log row', async () => {
  const { sql } = system.context
  const key = await aKey({ creditNanos: 2_000_000_000n })
  const task = await submit(aNewTask(system.context, key))
  expect(task).toMatchObject({ status: 'queued', heldNanos: 500_000_000n, costNanos: null })
  expect(await balanceOf(sql, key.accountId)).toMatchObject({ credits: 2_000_000_000n, held: 500_000_000n })

  expect(await finishTask(system.context, task, { end: success })).toBe(true)
  expect(await balanceOf(sql, key.accountId)).toMatchObject({ credits: 1_500_000_000n, held: 0n })
  expect(await findTask(system.context, task)).toMatchObject({
    status: 'success',
    costNanos: 500_000_000n,
    heldNanos: 0n,
    results: [{ url: 'https://media.example/a.mp4' }],
  })
  expect(await logsOf(system, key)).toMatchObject([
    { id: task.requestId, route: 'videos.generations', status: 200, cost_nanos: 500_000_000n },
  ])
  const paid =
    await sql`select * from transactions where account_id = ${key.accountId} and task_id = ${task.id}`
  expect(paid).toMatchObject([
    { credits_nanos: -500_000_000n, payment_method: 'usage', request_id: task.requestId, source: task.id },
  ])
})

test('failure releases the hold: credits unchanged, no transaction, a log row that costs nothing', async () => {
  const key = await aKey({ creditNanos: 500_000_000n })
  const task = await submit(aNewTask(system.context, key))
  expect(await finishTask(system.context, task, { end: failure })).toBe(true)
  expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({
    credits: 500_000_000n,
    held: 0n,
  })
  expect(await logsOf(system, key)).toMatchObject([
    { status: 502, error_code: 'generation_failed', cost_nanos: 0n },
  ])
})

test('a task ends once, however many end it at the same time', async () => {
  const key = await aKey({ creditNanos: 500_000_000n })
  const task = await submit(aNewTask(system.context, key))
  const ends = [success, failure, success, failure, success, failure]
  const finished = await Promise.all(ends.map(end => finishTask(system.context, task, { end })))
  expect(finished.filter(Boolean)).toHaveLength(1)
  expect(await finishTask(system.context, task, { end: success })).toBe(false)
  expect(await changeTask(system.context, task, { status: 'running', nextMs: 0 })).toBe(false)
})

test('of submits at the same time exactly those that the balance covers are taken', async () => {
  const key = await aKey({ creditNanos: 1_700_000_000n })
  const tries = Array.from({ length: 10 }, () =>
    submit(aNewTask(system.context, key)).catch(error => error.errorName),
  )
  const outcomes = await Promise.all(tries)
  expect(outcomes.filter(outcome => outcome === 'insufficient_credits')).toHaveLength(7)
  expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({ held: 1_500_000_000n })
})

test('credits that other tasks hold do not pay: a 402 although credits alone would cover it', async () => {
  const key = await aKey({ creditNanos: 800_000_000n })
  await submit(aNewTask(system.context, key))
  await expect(submit(aNewTask(system.context, key))).rejects.toMatchObject({
    errorName: 'insufficient_credits',
  })
})

test('a spend cap counts what is held', async () => {
  const key = await aKey({ creditNanos: 10_000_000_000n, limitNanos: 900_000_000n })
  const task = await submit(aNewTask(system.context, key))
  await expect(submit(aNewTask(system.context, key))).rejects.toMatchObject({
    errorName: 'credit_limit_reached',
  })
  await finishTask(system.context, task, { end: failure })
  const again = await submit(aNewTask(system.context, key))
  await finishTask(system.context, again, { end: success })
  await expect(submit(aNewTask(system.context, key))).rejects.toMatchObject({
    errorName: 'credit_limit_reached',
  })
})

test('what a process keeps ahead of need is called back for a task, what requests have reserved is not', async () => {
  const key = await aKey({ creditNanos: 100_000_000_000n })
  const small = { ...key, amountNanos: 1_000n, minimumNanos: 1_000n }
  for (let at = 0; at < 40; at++) await reserve(ledger, small)
  const { held, credits } = await balanceOf(system.context.sql, key.accountId)
  expect(held).toBeGreaterThan(40_000n) // headroom
  const priceNanos = credits - 40_000n
  const task = await submit(aNewTask(system.context, key, { priceNanos }))
  expect(task.heldNanos).toBe(priceNanos)
  await expect(submit(aNewTask(system.context, key, { priceNanos: 1n }))).rejects.toMatchObject({
    errorName: 'insufficient_credits',
  })
  await finishTask(system.context, task, { end: failure })
})

test('headroom of a process that died serves a task before anybody else releases it', async () => {
  const { sql, ids } = system.context
  const key = await aKey({ creditNanos: 500_000_000n })
  const processId = ids.uuid()
  await sql`
    insert into processes (id, kind, heartbeat_at)
    values (${processId}, 'edge', clock_timestamp() - interval '8 seconds')`
  await sql`
    insert into holds (account_id, id, key_id, process_id, amount_nanos, in_use_nanos)
    values (${key.accountId}, ${ids.uuid()}, ${key.keyId}, ${processId}, 5_000_000, 0)`
  for (const table of ['balances', 'key_budgets'])
    await sql`update ${sql(table)} set held_nanos = 5_000_000 where account_id = ${key.accountId}`
  const task = await submit(aNewTask(system.context, key))
  expect(task.heldNanos).toBe(500_000_000n)
  await finishTask(system.context, task, { end: failure })
})

test('a task whose request is in the log already, as a refusal, ends all the same, and the log says how', async () => {
  const key = await aKey({ creditNanos: 800_000_000n })
  const given = aNewTask(system.context, key)
  const task = await submit(given)
  const refused = { ...aRequestRecord(key, 0n), requestId: task.requestId, startedAt: given.createdAt }
  await settle(ledger, undefined, { ...refused, status: 503 })
  expect(await finishTask(system.context, task, { end: success })).toBe(true)
  expect(await logsOf(system, key)).toMatchObject([
    { id: task.requestId, status: 200, cost_nanos: 500_000_000n },
  ])
})

test('a withdrawal ends a task that was never submitted at once, whatever the account has', async () => {
  const key = await aKey({ creditNanos: 0n })
  const given = aNewTask(system.context, key)
  const { id, requestId, createdAt } = given
  const row = rowOf(key, given)
  await withdrawTask(system.context, { accountId: key.accountId, id, requestId, createdAt, row })
  expect(await findTask(system.context, { accountId: key.accountId, id })).toMatchObject({
    status: 'cancelled',
  })
})

test('the same task submitted again is the one that is there, with one hold', async () => {
  const key = await aKey({ creditNanos: 800_000_000n })
  const task = aNewTask(system.context, key)
  const submitted = await Promise.all([submit(task), submit(task), submit(task)])
  expect(new Set(submitted.map(({ id }) => id)).size).toBe(1)
  expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({ held: 500_000_000n })
})

test('a task that was refunded is not answered under its Idempotency-Key again', async () => {
  const { context } = system
  const key = await aKey({ creditNanos: 2_000_000_000n })
  const given = aNewTask(context, key)
  const task = await submit(given)
  const { id, requestId, createdAt } = given
  const claim = { ...key, key: context.ids.uuid(), fingerprint: Buffer.from('same'), startedAt: createdAt }
  const frozen = await claimKey(context, { ...claim, processId: context.ids.uuid(), requestId })
  expect(frozen).toMatchObject({ state: 'run', requestId })
  await finishTask(context, task, { end: success })
  await withdrawTask(context, { accountId: key.accountId, id, requestId, createdAt, row: rowOf(key, given) })
  expect(await balanceOf(context.sql, key.accountId)).toMatchObject({ credits: 2_000_000_000n, held: 0n })
  const repeated = context.ids.tagged('req_')
  expect(
    await claimKey(context, { ...claim, processId: ledger.processId, requestId: repeated }),
  ).toMatchObject({ state: 'run', requestId: repeated })
})

test.each<[string, TaskEnd | undefined]>([
  ['that still runs', undefined],
  ['that ended at no cost meanwhile', failure],
])(
  'a submit whose answer failed, tried again under its Idempotency-Key, is the one task %s',
  async (_, end) => {
    const { context } = system
    const key = await aKey({ creditNanos: 2_000_000_000n })
    const task = aNewTask(context, key)
    const claim = {
      ...key,
      key: context.ids.uuid(),
      fingerprint: Buffer.from('same'),
      startedAt: task.createdAt,
    }
    const once = (requestId: string, run: Try['run']) =>
      runOnce(context, new Map(), {
        claim: { ...claim, processId: ledger.processId, requestId },
        patience: { leftMs: 2_000 },
        signal: new AbortController().signal,
        run,
      })
    const unanswered = once(task.requestId, async () => {
      await submit(task)
      throw new Problem('unavailable')
    })
    await expect(unanswered).rejects.toMatchObject({ errorName: 'unavailable' })
    if (end) await finishTask(context, task, { end })
    const again: string[] = []
    await once(context.ids.tagged('req_'), async ({ requestId }) => void again.push(requestId))
    expect(again).toEqual([task.requestId])
    if (end) return
    await finishTask(context, task, {
      end: { status: 'cancelled', code: 'cancelled', message: 'Withdrawn.' },
    })
    await once(context.ids.tagged('req_'), async ({ requestId }) => void again.push(requestId))
    expect(again[1]).not.toBe(task.requestId)
  },
)

test('an account has so many running tasks and no more; one that ends makes room', async () => {
  const key = await aKey({ creditNanos: 100_000_000_000n })
  const tries = await Promise.all(
    Array.from({ length: 25 }, () => submit(aNewTask(system.context, key)).catch(error => error)),
  )
  const refused = tries.filter(outcome => outcome instanceof Error)
  expect(refused).toHaveLength(5)
  expect(refused[0]).toMatchObject({
    errorName: 'allowance_exceeded',
    message: expect.stringContaining('(20 tasks)'),
  })
  const [taken] = tries.filter(outcome => !(outcome instanceof Error))
  await finishTask(system.context, taken, { end: failure })
  await submit(aNewTask(system.context, key))
})

test('a task that was not sent is cancelled at once; one that runs says what becomes of the request', async () => {
  const { context } = system
  const key = await aKey({ creditNanos: 1_000_000_000n })
  const queued = await submit(aNewTask(context, key))
  expect(await cancelTask(context, queued)).toMatchObject({ status: 'cancelled', errorCode: 'cancelled' })
  expect(await cancelTask(context, queued)).toMatchObject({ status: 'cancelled' })
  expect(await balanceOf(context.sql, key.accountId)).toMatchObject({ credits: 1_000_000_000n, held: 0n })

  const running = await submit(aNewTask(context, key))
  await changeTask(context, running, { status: 'running', upstream: { id: 'up-1' }, nextMs: 60_000 })
  expect(await cancelTask(context, running)).toMatchObject({ status: 'running' })
  expect(await readTaskInProgress(context, running)).toMatchObject({ isCancelRequested: true })
  const [job] = await context.sql`
    select run_at <= clock_timestamp() as due from graphile_worker.jobs where key = ${`task:${running.id}`}`
  expect(job).toEqual({ due: true })
  await changeTask(context, running, { refusesCancel: true, nextMs: 0 })
  await expect(cancelTask(context, running)).rejects.toMatchObject({ errorName: 'task_not_cancellable' })
  await expect(cancelTask(context, { accountId: context.ids.uuid(), id: running.id })).rejects.toMatchObject({
    errorName: 'task_not_found',
  })
})

test('states move forward only', async () => {
  const { context } = system
  const key = await aKey({ creditNanos: 1_000_000_000n })
  const task = await submit(aNewTask(context, key))
  expect(await changeTask(context, task, { status: 'storing', files: [{ url: 'https://x.example' }] })).toBe(
    true,
  )
  expect(await changeTask(context, task, { status: 'running', nextMs: 0 })).toBe(false)
  expect(await findTask(context, task)).toMatchObject({ status: 'storing' })
})

test('a task that lost its job, or whose job waits long after a fault, is advanced again', async () => {
  const { context } = system
  const key = await aKey({ creditNanos: 1_000_000_000n })
  const task = await submit(aNewTask(context, key))
  await context.sql`select graphile_worker.remove_job(${`task:${task.id}`})`
  expect(await recoverTasks(context)).toBe(0)
  await context.sql`update tasks set due_at = now() - interval '31 seconds' where id = ${task.id}`
  expect(await recoverTasks(context)).toBe(1)
  const jobs = await context.sql`
    select task_identifier as name, payload from graphile_worker.jobs j
    join graphile_worker._private_jobs using (id) where j.key = ${`task:${task.id}`}`
  expect(jobs).toMatchObject([{ name: 'advance-task', payload: { accountId: key.accountId, id: task.id } }])
  expect(await recoverTasks(context)).toBe(0)
})

test('texts that Postgres cannot keep do no harm', async () => {
  const { context } = system
  const key = await aKey({ creditNanos: 1_000_000_000n })
  const parameters = { prompt: 'NUL \0 and half of a character \ud83d', duration: 5 }
  const task = await submit(aNewTask(context, key, { parameters }))
  expect((await readTaskInProgress(context, task))?.parameters).toEqual(parameters)
  const end: TaskEnd = { status: 'failed', code: 'generation_failed', message: `\0${'\ud83d'.repeat(900)}` }
  expect(await finishTask(context, task, { end })).toBe(true)
})

function submit(task: NewTask) {
  return submitTask({ context: system.context, ledger: directLedger(ledger) }, task)
}

async function aKey({ creditNanos, ...options }: { creditNanos: bigint; limitNanos?: bigint }) {
  return aKeyWithCredits(system.context, { creditNanos, ...options })
}

/** The row of a task that is withdrawn, without a hold. */
function rowOf(key: Awaited<ReturnType<typeof aKey>>, { id, requestId, createdAt }: NewTask): string {
  return JSON.stringify({
    ...{ account_id: key.accountId, id, request_id: requestId, api_key_id: key.keyId, kind: 'video' },
    ...{ model: 'vendor_i/a', vendor: 'vendor_i', price_nanos: '500000000', own_only: true },
    ...{ created_at: new Date(createdAt), ends_at: new Date(createdAt + 60_000) },
  })
}
