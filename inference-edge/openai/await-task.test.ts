import { expect, onTestFinished, test, vi } from 'vitest'
import type { Task } from '../../domain/tasks/task.ts'
import { openTaskStream } from '../../domain/tasks/task-stream.ts'
import type { TaskWatch, WatchedTask } from '../../domain/tasks/watch-tasks.ts'
import { awaitTask } from './await-task.ts'

const name = { accountId: 'account', id: 'task_1' }
const running: Task = {
  ...name,
  requestId: 'req_1',
  apiKeyId: 'key',
  kind: 'speech',
  model: 'vendor_n/herald',
  vendor: 'vendor_n',
  status: 'running',
  priceNanos: 1n,
  heldNanos: 1n,
  costNanos: null,
  byokId: null,
  progress: null,
  results: null,
  errorCode: null,
  errorMessage: null,
  callbackUrl: null,
  cancelRequestedAt: null,
  cancelRefusedAt: null,
  createdAt: new Date(0),
  submittedAt: null,
  updatedAt: new Date(0),
  finishedAt: null,
}

/** A watch whose every task is answered by `read`. */
function watching(read: () => Promise<WatchedTask | undefined>): { taskWatch: TaskWatch } {
  return { taskWatch: { task: read, account: () => openTaskStream(), close() {} } }
}

/** A task in these states, and whether its stream was closed. */
function aTaskIn(...states: Task[]) {
  let isClosed = false
  const stream = openTaskStream(() => {
    isClosed = true
  })
  for (const state of states) stream.push(state)
  const edge = watching(async () => ({ now: running, states: stream }))
  return { edge, isClosed: () => isClosed }
}

const here = new AbortController().signal

test('a task is waited for until it has succeeded', async () => {
  const { edge, isClosed } = aTaskIn(running, { ...running, status: 'success' })
  expect(await awaitTask(edge, name, here)).toMatchObject({ status: 'success' })
  expect(isClosed()).toBe(true)
})

test.each([
  ['content_policy', 400],
  ['timed_out', 504],
  ['result_lost', 502],
])('a task that failed with %s is a %i that clients do not retry', async (errorCode, status) => {
  const { edge } = aTaskIn({ ...running, status: 'failed', errorCode, errorMessage: 'It failed.' })
  await expect(awaitTask(edge, name, here)).rejects.toMatchObject({
    status,
    code: errorCode,
    message: 'It failed.',
    details: { shouldRetry: false },
  })
})

test('a client that leaves ends the wait', async () => {
  const { edge, isClosed } = aTaskIn(running)
  const client = new AbortController()
  const waiting = awaitTask(edge, name, client.signal)
  client.abort()
  expect(await waiting).toBeUndefined()
  expect(isClosed()).toBe(true)
})

test('a task that cannot be read goes on, and clients do not retry', async () => {
  const edge = watching(async () => {
    throw new Error('Postgres is down')
  })
  await expect(awaitTask(edge, name, here)).rejects.toMatchObject({
    errorName: 'task_pending',
    message: expect.stringContaining('/v1/audio/speech/task_1'),
    details: { shouldRetry: false },
  })
})

test('a task that has not ended after ten minutes goes on, and its wait ends', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
  onTestFinished(() => timeout.mockRestore())
  const { edge, isClosed } = aTaskIn(running)
  await expect(awaitTask(edge, name, here)).rejects.toMatchObject({ errorName: 'task_pending' })
  expect(timeout.mock.calls).toEqual([[10 * 60_000]])
  await expect.poll(isClosed).toBe(true)
})
