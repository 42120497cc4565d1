import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeContext, openContext } from '../../domain/context.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import type { Task } from '../../domain/tasks/task.ts'
import { changeTask } from '../../domain/tasks/task-steps.ts'
import { maxUnread, openTaskStream } from '../../domain/tasks/task-stream.ts'
import { openTaskWatch } from '../../domain/tasks/watch-tasks.ts'
import { noRedis } from '../../platform/redis/open-redis.ts'
import { aSystem } from '../harness/a-context.ts'
import { aKeyWithCredits, anAccount, anApiKey } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { aNewTask, failure } from './a-task.ts'

const system = perFile(aSystem)
const ledger = perFile(() => openLedger(system.context, { kind: 'edge' }), closeLedger)

const key = perFile(async () => {
  return aKeyWithCredits(system.context)
})

const aTask = (owner = key) =>
  submitTask({ context: system.context, ledger: directLedger(ledger) }, aNewTask(system.context, owner))

/** A watch as each process opens it. Without Redis it receives no updates. */
function aWatch({ redis = true } = {}) {
  const statements: string[] = []
  const config = redis ? system.config : { ...system.config, redisUrl: noRedis }
  const context = openContext(config, { name: 'watch', onStatement: text => statements.push(text) })
  const watch = openTaskWatch(context)
  onTestFinished(async () => {
    watch.close()
    await closeContext(context)
  })
  return { watch, statements }
}

async function statesOf(states: AsyncIterable<Task>, seen: string[] = []): Promise<string[]> {
  for await (const { status, progress } of states) seen.push(progress ? `${status} ${progress}` : status)
  return seen
}

test.each([true, false])(
  'a watcher is told the present state, each change, and the end: with Redis %s',
  async redis => {
    const { watch } = aWatch({ redis })
    const task = await aTask()
    const watched = await watch.task(task)
    const seen: string[] = []
    const ended = statesOf(watched!.states, seen)
    const told = (state: string) => expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBe(state)
    await told('queued')
    await changeTask(system.context, task, { status: 'running', progress: 10 })
    await told('running 10')
    await changeTask(system.context, task, { progress: 60 })
    await told('running 60')
    await finishTask(system.context, task, { end: failure })
    expect(await ended).toEqual(['queued', 'running 10', 'running 60', 'failed 60'])
  },
)

test('a task that has ended is told once, and one that is not there not at all', async () => {
  const { watch } = aWatch()
  const task = await aTask()
  await finishTask(system.context, task, { end: failure })
  expect(await statesOf((await watch.task(task))!.states)).toEqual(['failed'])
  expect(await watch.task({ ...task, id: 'task_none' })).toBeUndefined()
  const other = await anAccount(system.context)
  expect(await watch.task({ ...task, accountId: other.accountId })).toBeUndefined()
})

test('a thousand watchers of one task share its readings', async () => {
  const { watch, statements } = aWatch()
  const task = await aTask()
  const all = await Promise.all(Array.from({ length: 1_000 }, () => watch.task(task)))
  const seen = all.map(watched => statesOf(watched!.states))
  await finishTask(system.context, task, { end: failure })
  expect((await Promise.all(seen)).every(states => states.join() === 'queued,failed')).toBe(true)
  expect(statements.filter(text => text.includes('from tasks')).length).toBeLessThan(10)
})

test('a watcher that leaves while it waits leaves nothing behind', async () => {
  const { watch, statements } = aWatch({ redis: false })
  const { states } = (await watch.task(await aTask()))!
  await states.next()
  const waiting = states.next()
  await states.return()
  expect(await waiting).toEqual({ done: true, value: undefined })
  await sleep(50)
  statements.length = 0
  await sleep(1_300)
  expect(statements).toEqual([])
})

test('a slow watcher finds the latest state of each task, and is cut off with too many', async () => {
  const stream = openTaskStream()
  const task = await aTask()
  for (const progress of [1, 2, 3]) stream.push({ ...task, progress })
  stream.push({ ...task, id: 'task_other' })
  expect((await stream.next()).value).toMatchObject({ progress: 3 })
  for (let count = 0; count <= maxUnread; count++) stream.push({ ...task, id: `task_${count}` })
  await expect(stream.next()).rejects.toMatchObject({ errorName: 'overloaded' })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test.each([true, false])(
  'who watches an account is told what has not ended, then each change, new tasks too: with Redis %s',
  async redis => {
    const { watch } = aWatch({ redis })
    const { accountId } = await anAccount(system.context)
    const own = await anApiKey(system.context, { accountId })
    const [ended, open] = [await aTask(own), await aTask(own)]
    await finishTask(system.context, ended, { end: failure })
    const seen: string[] = []
    const stream = watch.account(accountId)
    onTestFinished(async () => void (await stream.return()))
    const reading = (async () => {
      for await (const { id, status } of stream) seen.push(`${id} ${status}`)
    })()
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual([`${open.id} queued`])
    const quick = await aTask(own)
    await finishTask(system.context, quick, { end: failure }) // between two readings
    await finishTask(system.context, open, { end: failure })
    await aTask() // of another account
    await expect
      .poll(
        () =>
          seen
            .slice(1)
            .filter(line => line.endsWith('failed'))
            .sort(),
        { timeout: 10_000 },
      )
      .toEqual([`${open.id} failed`, `${quick.id} failed`].sort())
    const last = await aTask(own)
    await expect.poll(() => seen, { timeout: 10_000 }).toContain(`${last.id} queued`)
    expect(seen).toEqual([...new Set(seen)]) // no update is sent twice
    await stream.return()
    await reading
  },
)
