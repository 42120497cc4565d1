import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { advanceTask } from '../../domain/tasks/advance-task.ts'
import { finishTask, type TaskEnd } from '../../domain/tasks/finish-task.ts'
import { aGraphSystem, type GraphSystem } from './a-graph-system.ts'
import { type Protocol, protocols } from './subscribers.ts'

const secret = 'a-secret-between-gateway-and-subgraphs'
let system: GraphSystem
let port: number
let subgraph: ChildProcess
const children = new Set<ChildProcess>()

beforeAll(async () => {
  port = await freePort()
  system = await aGraphSystem({
    SUBGRAPH_URLS: `tasks=http://127.0.0.1:${port}/`,
    SUBGRAPH_SECRET: secret,
  })
  subgraph = await startTasks()
}, 60_000)
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await system.close()
})

/** The subgraph of tasks as a process of its own. */
async function startTasks(): Promise<ChildProcess> {
  const { config } = system.control
  const child = spawn(process.execPath, ['--import', 'tsx', 'subgraphs/main.ts', 'tasks'], {
    cwd: new URL('../..', import.meta.url).pathname,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: config.databaseUrl,
      REDIS_URL: config.redisUrl,
      REDIS_PREFIX: config.redisPrefix,
      SUBGRAPH_SECRET: secret,
      SUBGRAPH_PORT: String(port),
      LOG_LEVEL: 'silent',
    },
    stdio: 'ignore',
  })
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  children.add(child)
  await vi.waitFor(async () => expect(await isReady()).toBe(true), { timeout: 30_000, interval: 100 })
  return child
}

function open(protocol: Protocol, token = system.person.token) {
  const client = protocols[protocol](system.control.url, token)
  onTestFinished(() => client.dispose())
  return client
}

const failure: TaskEnd = { status: 'failed', code: 'generation_failed', message: 'It rained.' }
const updates = `subscription ($id: ID!) { taskUpdated(id: $id) {
  state progress model { name } apiKey { name } } }`

test.each(['graphql-ws', 'graphql-sse'] as const)(
  '%s: a subgraph that is killed, and comes back, costs no update, and tells nothing twice',
  async protocol => {
    const { control } = system
    const [task, other] = [await system.submit(), await system.submit()]
    const client = open(protocol)
    const events = client.subscribe(updates, { id: task.id })
    const others = client.subscribe(updates, { id: other.id })
    await Promise.all([events.next(), others.next()])
    const exited = once(subgraph, 'exit')
    subgraph.kill('SIGKILL')
    await exited
    const next = events.next()
    const nextOfOthers = others.next()
    await advanceTask(control.context, task, { status: 'running', progress: 7 })
    subgraph = await startTasks()
    expect((await next).value.data.taskUpdated).toMatchObject({ state: 'RUNNING', progress: 7 })
    await finishTask(control.context, other, { end: failure })
    expect((await nextOfOthers).value.data.taskUpdated).toMatchObject({ state: 'FAILED' })
    await finishTask(control.context, task, { end: failure })
    expect((await events.next()).value.data.taskUpdated).toMatchObject({ state: 'FAILED' })
    expect([await events.next(), await others.next()]).toEqual(
      Array(2).fill({ done: true, value: undefined }),
    )
  },
  60_000,
)

test('what the gateway did not sign subscribes to nothing', async () => {
  const task = await system.submit()
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: `subscription { taskUpdated(id: "${task.id}") { state } }` }),
  })
  expect(answer.status).toBe(401)
})
