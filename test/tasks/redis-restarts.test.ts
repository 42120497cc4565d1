import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { changeTask } from '../../domain/tasks/task-steps.ts'
import { aGraphSystem, type GraphSystem } from './a-graph-system.ts'
import { failure } from './a-task.ts'
import { protocols } from './subscribers.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
let port: number
let system: GraphSystem

beforeAll(async () => {
  port = await freePort()
  redis = await startRedis({ binary: await ensureRedisServer(), port })
  system = await aGraphSystem({ REDIS_URL: redis.url })
})
afterAll(async () => {
  await system.close()
  await redis.stop()
})

test("a restart of Redis loses no update, neither for a task's subscriber nor for an account's", async () => {
  const { control, person, submit } = system
  const task = await submit()
  const client = protocols['graphql-ws'](control.url, person.token)
  onTestFinished(() => client.dispose())
  const one = client.subscribe(`subscription { taskUpdated(id: "${task.id}") { state progress } }`)
  const all = client.subscribe('subscription { tasksUpdated { id state progress } }')
  const both = async () => {
    const [ofOne, ofAll] = await Promise.all([one.next(), all.next()])
    return [ofOne.value.data.taskUpdated, ofAll.value.data.tasksUpdated]
  }
  expect(await both()).toMatchObject(Array(2).fill({ state: 'QUEUED' }))
  await redis.stop()
  await changeTask(control.context, task, { status: 'running', progress: 10 })
  expect(await both()).toMatchObject(Array(2).fill({ state: 'RUNNING', progress: 10 }))
  redis = await startRedis({ binary: await ensureRedisServer(), port })
  await changeTask(control.context, task, { progress: 20 })
  expect(await both()).toMatchObject(Array(2).fill({ progress: 20 }))
  await finishTask(control.context, task, { end: failure })
  expect(await both()).toMatchObject(Array(2).fill({ state: 'FAILED' }))
  expect(await one.next()).toEqual({ done: true, value: undefined })
})
