import { beforeAll, expect, test } from 'vitest'
import { readCallbackSecrets } from '../../domain/callbacks/callback-secrets.ts'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { type NewTask, submitTask } from '../../domain/tasks/submit-task.ts'
import type { Task } from '../../domain/tasks/task.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { anApiKey } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { aNewTask, success } from './a-task.ts'

const control = perFile(aControlPlane)
const ledger = perFile(() => openLedger(control.context, { kind: 'edge' }), closeLedger)
const person = perFile(() => control.aPerson())
const key = perFile(() => anApiKey(control.context, person))
const other = perFile(() => anApiKey(control.context, person))

beforeAll(async () => {
  await applyCatalogue(control.context, await theCatalogue())
  await control.context.sql`
    update balances set credits_nanos = 100000000000 where account_id = ${person.accountId}`
})

const submit = (options: Partial<NewTask> = {}, owner = key) =>
  submitTask(
    { context: control.context, ledger: directLedger(ledger) },
    aNewTask(control.context, owner, options),
  )
const ask = (query: string, variables = {}, token: string | undefined = person.token) =>
  control.graph(query, { token, variables })

test('a task has its cost, hold, model and key, and the delivery of its callback', async () => {
  const task = await submit({ callbackUrl: 'http://127.0.0.1:1/callbacks' })
  const query = `query ($id: ID!) { task(id: $id) {
    id kind status state modelName price held cost progress callbackUrl finishedAt
    model { id inferenceId name } apiKey { id name } request { id route } results { url contentType bytes expiresAt } error { code }
    callbackDelivery { id event state tryCount tries { number } } } }`
  const before = await ask(query, { id: task.id })
  expect(before.errors).toBeUndefined()
  expect(before.data.task).toMatchObject({
    id: task.id,
    kind: 'VIDEO',
    status: 'PENDING',
    state: 'QUEUED',
    modelName: 'vendor_i/reel',
    price: '0.5',
    held: '0.5',
    cost: null,
    apiKey: { id: key.keyId, name: 'test key' },
    callbackDelivery: null,
    request: null,
    results: null,
  })
  await finishTask(control.context, task, { end: success })
  const { data } = await ask(query, { id: task.id })
  expect(data.task).toMatchObject({
    status: 'SUCCESS',
    state: 'SUCCESS',
    held: '0',
    request: { id: task.requestId, route: 'videos.generations' },
    cost: '0.5',
    results: [{ url: 'https://media.example/a.mp4', contentType: 'video/mp4', bytes: 7 }],
    callbackDelivery: { event: 'task.completed', state: 'PENDING', tryCount: 0, tries: [] },
  })
})

test('tasks are listed by kind, status, model, key and time, both ways, page by page', async () => {
  const fresh = await control.aPerson()
  const owner = await anApiKey(control.context, { accountId: fresh.accountId })
  await control.context
    .sql`update balances set credits_nanos = 100000000000 where account_id = ${fresh.accountId}`
  const made: Task[] = []
  for (let count = 0; count < 5; count++) {
    const kind = count % 2 ? 'speech' : 'video'
    const createdAt = Date.now() - 1_000_000 + count * 1_000
    made.push(await submit({ kind, model: `vendor_i/${kind}`, createdAt }, owner))
  }
  await finishTask(control.context, made[0]!, { end: success })
  const list = async (args: string, variables = {}) => {
    const query = `query ${args.includes('$since') ? '($since: DateTime)' : ''} { tasks(${args}) {
      nodes { id } totalCount pageInfo { hasNextPage startCursor endCursor } } }`
    const { data, errors } = await ask(query, variables, fresh.token)
    expect(errors).toBeUndefined()
    const { nodes, ...rest } = data.tasks
    return { ...rest, at: nodes.map(({ id }: { id: string }) => made.findIndex(task => task.id === id)) }
  }
  const sorted = made.map(({ id }, at) => [id, at] as const).sort(([one], [two]) => (one < two ? 1 : -1))
  const newestFirst = sorted.map(([, at]) => at)
  const ascending = await list('first: 10, orderBy: { field: CREATED_AT, direction: ASC }')
  expect(ascending.at).toEqual(newestFirst.toReversed())
  const page = await list('first: 2')
  expect(page).toMatchObject({ at: newestFirst.slice(0, 2), totalCount: 5, pageInfo: { hasNextPage: true } })
  const next = await list(`first: 2, after: "${page.pageInfo.endCursor}"`)
  expect(next.at).toEqual(newestFirst.slice(2, 4))
  expect((await list(`last: 2, before: "${next.pageInfo.startCursor}"`)).at).toEqual(newestFirst.slice(0, 2))
  const filters: [filter: string, at: number[]][] = [
    ['kinds: [SPEECH]', [1, 3]],
    ['statuses: [SUCCESS]', [0]],
    ['statuses: [PENDING], models: ["vendor_i/video"]', [2, 4]],
    ['since: $since', [3, 4]],
    [`apiKeyIds: ["${key.keyId}"]`, []],
  ]
  for (const [filter, at] of filters) {
    const found = await list(`filter: { ${filter} }`, { since: made[3]!.createdAt })
    expect(found.at.toSorted(), filter).toEqual(at)
  }
})

test('an ordinary key sees, and cancels, its own tasks alone; another account none', async () => {
  const [own, others] = [await submit(), await submit({}, other)]
  const read = async (id: string, token: string) =>
    (await ask('query ($id: ID!) { task(id: $id) { id } }', { id }, token)).errors?.[0]?.extensions.problem
  expect(await read(own.id, key.text)).toBeUndefined()
  expect(await read(others.id, key.text)).toBe('task_not_found')
  expect(await read(own.id, (await control.aPerson()).token)).toBe('task_not_found')
  const listed = await ask('{ tasks(first: 100) { nodes { apiKey { id } } } }', {}, other.text)
  expect(new Set(listed.data.tasks.nodes.map(({ apiKey }: { apiKey: { id: string } }) => apiKey.id))).toEqual(
    new Set([other.keyId]),
  )
  const mutation = 'mutation ($id: ID!) { cancelTask(input: { id: $id }) { task { status error { code } } } }'
  const cancel = (id: string, token: string) => ask(mutation, { id }, token)
  expect((await cancel(others.id, key.text)).errors?.[0]?.extensions.problem).toBe('task_not_found')
  expect((await cancel(own.id, key.text)).data.cancelTask.task).toEqual({
    status: 'FAILED',
    error: { code: 'cancelled' },
  })
  const ended = await submit()
  await finishTask(control.context, ended, { end: success })
  expect((await cancel(ended.id, key.text)).errors?.[0]?.extensions.problem).toBe('task_not_cancellable')
})

test('results that their vendor serves have an address, and what is known of them; large ones their size', async () => {
  const ends = [
    { url: 'https://vendor.example/a.mp4', contentType: null, bytes: null, expiresAt: null },
    { url: 'https://media.example/b.mp4', contentType: 'video/mp4', bytes: 3_000_000_000, expiresAt: null },
  ]
  const task = await submit()
  await finishTask(control.context, task, { end: { status: 'success', results: ends } })
  const query = 'query ($id: ID!) { task(id: $id) { results { url contentType bytes expiresAt } } }'
  expect(await ask(query, { id: task.id })).toMatchObject({ data: { task: { results: ends } } })
})

test('a delivery is sent again by whoever may see its task; secrets are read and rotated by managers', async () => {
  const task = await submit({ callbackUrl: 'http://127.0.0.1:1/callbacks' })
  await finishTask(control.context, task, { end: success })
  const { data } = await ask('query ($id: ID!) { task(id: $id) { callbackDelivery { id } } }', {
    id: task.id,
  })
  const { id } = data.task.callbackDelivery
  await control.context.sql`update deliveries set state = 'failed', due_at = null where id = ${id}`
  const send = `mutation { sendCallbackAgain(input: { id: "${id}" }) { callbackDelivery { id state } } }`
  const again = (token: string) => ask(send, {}, token)
  expect((await again(other.text)).errors?.[0]?.extensions.problem).toBe('not_found')
  expect((await again(key.text)).data.sendCallbackAgain.callbackDelivery).toEqual({ id, state: 'PENDING' })

  const [current] = await readCallbackSecrets(control.context, { accountId: person.accountId })
  const secrets = (token: string) => ask('{ callbackSecrets { secret endsAt } }', {}, token)
  expect((await secrets(person.token)).data.callbackSecrets).toEqual([
    { secret: current?.secret, endsAt: null },
  ])
  expect((await secrets(key.text)).errors?.[0]?.extensions.problem).toBe('forbidden')
  const provisioning = await anApiKey(control.context, { accountId: person.accountId, isProvisioning: true })
  const rotate = (hours: string, token: string) =>
    ask(
      `mutation { rotateCallbackSecret(input: { ${hours} }) { callbackSecrets { secret endsAt } } }`,
      {},
      token,
    )
  expect((await rotate('', key.text)).errors?.[0]?.extensions.problem).toBe('forbidden')
  const rotated = (await rotate('', provisioning.text)).data.rotateCallbackSecret.callbackSecrets
  expect(rotated).toMatchObject([{ endsAt: null }, { secret: current?.secret, endsAt: expect.any(String) }])
  const wrong = (await rotate('overlapHours: 169', person.token)).errors?.[0]?.extensions
  expect(wrong).toMatchObject({ problem: 'validation_failed', param: 'overlapHours' })
})

test('the REST face lists tasks, shows one with its callback, cancels, sends again and rotates', async () => {
  const rest = (method: string, path: string, options = {}) =>
    control.rest(method, path, { token: person.token, ...options })
  const task = await submit({ callbackUrl: 'http://127.0.0.1:1/callbacks', kind: 'audio' })
  const { body: listed } = await rest('GET', '/tasks?kind=audio&status=pending')
  expect(listed).toMatchObject({
    data: [
      { id: task.id, kind: 'audio', status: 'pending', state: 'queued', held: 0.5, api_key_id: key.keyId },
    ],
    page_info: { has_next_page: false },
  })
  const cancelled = await rest('POST', `/tasks/${task.id}/cancel`)
  expect([cancelled.status, cancelled.body]).toMatchObject([200, { status: 'failed', state: 'cancelled' }])
  const { body: read } = await rest('GET', `/tasks/${task.id}`)
  expect(read).toMatchObject({
    cost: 0,
    error: { code: 'cancelled' },
    callback_delivery: { state: 'pending' },
  })
  const { id } = read.callback_delivery
  expect((await rest('GET', `/callbacks/${id}`)).body).toMatchObject({ id, event: 'task.failed', tries: [] })
  expect((await rest('POST', `/callbacks/${id}/send`)).body).toMatchObject({ id, state: 'pending' })
  expect((await rest('GET', '/tasks/task_none')).status).toBe(404)
  expect((await rest('GET', '/callbacks/msg_none')).status).toBe(404)
  const before = (await rest('GET', '/callback-secrets')).body.data
  const rotated = await rest('POST', '/callback-secrets', { body: { overlap_hours: 1 } })
  expect(rotated.status).toBe(201)
  expect(rotated.body.data[1].secret).toBe(before[0].secret)
  const wrong = await rest('POST', '/callback-secrets', { body: { overlap_hours: -1 } })
  expect([wrong.status, wrong.body.error.param]).toEqual([422, 'overlap_hours'])
})
