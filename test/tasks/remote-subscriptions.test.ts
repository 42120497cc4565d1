import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { changeTask } from '../../domain/tasks/task-steps.ts'
import { aProcess, type TestProcess } from '../harness/a-process.ts'
import { aGraphSystem, type GraphSystem } from './a-graph-system.ts'
import { failure } from './a-task.ts'
import { type Protocol, protocols } from './subscribers.ts'

const secret = 'a-secret-between-gateway-and-subgraphs'
let system: GraphSystem
let port: number
let subgraph: TestProcess
const children = new Set<ChildProcess>()

beforeAll(async () => {
  port = await freePort()
  system = await aGraphSystem({ SUBGRAPH_URLS: `tasks=http://127.0.0.1:${port}/`, SUBGRAPH_SECRET: secret })
  subgraph = await startTasks()
}, 60_000)
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await system.close()
})

/** Starts the subgraph of tasks as a process. */
function startTasks(): Promise<TestProcess> {
  return aProcess(
    { config: system.control.config, children },
    {
      entry: ['--import', 'tsx', 'subgraphs/main.ts', 'tasks'],
      port,
      env: { SUBGRAPH_SECRET: secret, SUBGRAPH_PORT: String(port) },
    },
  )
}

function open(protocol: Protocol, token = system.person.token) {
  const client = protocols[protocol](system.control.url, token)
  onTestFinished(() => client.dispose())
  return client
}

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
    await subgraph.kill()
    const next = events.next()
    const nextOfOthers = others.next()
    await changeTask(control.context, task, { status: 'running', progress: 7 })
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
