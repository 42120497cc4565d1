import { describe, expect, onTestFinished, test } from 'vitest'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { changeTask } from '../../domain/tasks/task-steps.ts'
import { anApiKey, joinAccount } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { aGraphSystem } from './a-graph-system.ts'
import { failure } from './a-task.ts'
import { type Protocol, protocols, type Result } from './subscribers.ts'

const system = perFile(aGraphSystem)
const updates = `subscription ($id: ID!) { taskUpdated(id: $id) {
  id status state progress modelName model { id name } apiKey { id name } } }`
const states = 'subscription ($id: ID!) { taskUpdated(id: $id) { state } }'

function open(protocol: Protocol, token = system.person.token) {
  const client = protocols[protocol](system.control.url, token)
  onTestFinished(() => client.dispose())
  return client
}

async function rest(events: AsyncIterable<Result>): Promise<Result[]> {
  const all: Result[] = []
  for await (const event of events) all.push(event)
  return all
}

const problemOf = ({ errors }: Result) => errors?.[0]?.extensions?.problem

describe.each(['graphql-ws', 'graphql-sse'] as const)('%s', protocol => {
  test('the present state, each change with entities of other subgraphs, the end', async () => {
    const { control, key, video, submit } = system
    const task = await submit()
    const events = open(protocol).subscribe(updates, { id: task.id })
    expect((await events.next()).value).toEqual({
      data: {
        taskUpdated: {
          id: task.id,
          status: 'PENDING',
          state: 'QUEUED',
          progress: null,
          modelName: video.model,
          model: { id: video.id, name: video.name },
          apiKey: { id: key.keyId, name: 'test key' },
        },
      },
    })
    await changeTask(control.context, task, { status: 'running', progress: 40 })
    expect((await events.next()).value.data.taskUpdated).toMatchObject({ state: 'RUNNING', progress: 40 })
    await finishTask(control.context, task, { end: failure })
    expect((await events.next()).value.data.taskUpdated).toMatchObject({ state: 'FAILED', status: 'FAILED' })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test('all tasks of the account: what has not ended, then each change', async () => {
    const { control, submit } = system
    const task = await submit({ kind: 'speech' })
    const events = open(protocol).subscribe(
      'subscription { tasksUpdated(filter: { kinds: [SPEECH] }) { id state } }',
    )
    expect((await events.next()).value.data.tasksUpdated).toEqual({ id: task.id, state: 'QUEUED' })
    const another = await submit({ kind: 'speech' })
    expect((await events.next()).value.data.tasksUpdated).toEqual({ id: another.id, state: 'QUEUED' })
    await finishTask(control.context, task, { end: failure })
    expect((await events.next()).value.data.tasksUpdated).toEqual({ id: task.id, state: 'FAILED' })
    await events.return?.()
    await finishTask(control.context, another, { end: failure })
  })

  test('a task of another account, of another key, or of nobody is not found; without a credential nothing is', async () => {
    const { control, person, submit } = system
    const { id } = await submit()
    const other = await anApiKey(control.context, { accountId: person.accountId })
    const stranger = await control.aPerson()
    for (const token of [other.text, stranger.token]) {
      const [refused, ...more] = await rest(open(protocol, token).subscribe(states, { id }))
      expect([problemOf(refused!), more]).toEqual(['task_not_found', []])
    }
    const [unknown] = await rest(open(protocol).subscribe(states, { id: 'task_none' }))
    expect(problemOf(unknown!)).toBe('task_not_found')
    const refused = rest(open(protocol, 'nonsense').subscribe(states, { id }))
    if (protocol === 'graphql-ws') return expect(refused).rejects.toMatchObject({ code: 4403 })
    expect(problemOf((await refused)[0]!)).toBe('unauthenticated')
  })

  test.each([
    ['its key is revoked', 'unauthenticated', 'update api_keys set revoked_at = now() where id = $1'],
    ['its key is disabled', 'key_disabled', 'update api_keys set disabled = true where id = $1'],
    [
      'its key expires',
      'key_expired',
      "update api_keys set expires_at = now() - interval '1 s' where id = $1",
    ],
  ])('ends when %s', async (_, problem, change) => {
    const { control, person, submit } = system
    const { accountId } = person
    const manager = await anApiKey(control.context, { accountId, isProvisioning: true })
    const { id } = await submit()
    const events = open(protocol, manager.text).subscribe(states, { id })
    await events.next()
    const waiting = rest(events)
    await control.context.sql.unsafe(change, [manager.keyId])
    const [last, ...more] = await waiting
    expect([problemOf(last!), more]).toEqual([problem, []])
  })

  test.each([
    [
      'is demoted',
      'forbidden',
      "update memberships set role = 'viewer' where account_id = $1 and role = 'admin'",
    ],
    ['is removed', 'token_expired', "delete from memberships where account_id = $1 and role = 'admin'"],
  ])('ends when its member %s', async (_, problem, change) => {
    const { control, person, submit } = system
    const { accountId } = person
    const token = await joinAccount(control, { accountId, role: 'admin' })
    const { id } = await submit()
    const events = open(protocol, token).subscribe(states, { id })
    await events.next()
    const waiting = rest(events)
    await control.context.sql.unsafe(change, [accountId])
    expect((await waiting).map(problemOf)).toEqual([problem])
  })

  test('ends after log-out', async () => {
    const { control, submit } = system
    const { id } = await submit()
    const { email, password } = system.person
    const { body } = await control.rest('POST', '/auth/log-in', { body: { email, password } })
    const events = open(protocol, body.access_token).subscribe(states, { id })
    await events.next()
    const waiting = rest(events)
    await control.rest('POST', '/auth/log-out', { token: body.access_token })
    expect((await waiting).map(problemOf)).toEqual(['token_expired'])
  })
})
