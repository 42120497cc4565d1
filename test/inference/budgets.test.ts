import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { findBudget, listBudgets } from '../../domain/budgets/budget-records.ts'
import { createBudget, deleteBudget, updateBudget } from '../../domain/budgets/change-budgets.ts'
import { maxKeyAgeMs } from '../../domain/keys/key-revision.ts'
import type { BudgetSubject } from '../../domain/ledger/hold.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { aMember, anApiKey } from '../harness/an-account.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { theMediaEdge } from '../harness/media/a-media-edge.ts'
import { aDataUri } from '../harness/media/media-files.ts'
import { forThisTest } from '../harness/per-file.ts'

const system = theMediaEdge()
afterEach(() => expectLedgerToBalance(system.context.sql))

const dollar = 1_000_000_000n
const ada: BudgetSubject = { kind: 'end_user', key: '', value: 'ada' }
/** A user whose name was cut in the middle of a character, as the log shows it. */
const cut: BudgetSubject = { ...ada, value: 'ada\ufffd' }
const red: BudgetSubject = { kind: 'tag', key: 'team', value: 'red' }
const { messages } = saying('Hello')

const chat = (labels: object) => ({ ...saying('Hello'), max_tokens: 16, ...labels })
const metadata = { team: 'red' }

test.each<[string, BudgetSubject, object]>([
  ['/chat/completions', red, chat({ metadata })],
  ['/chat/completions', ada, chat({ user: 'ada', stream: true })],
  ['/chat/completions', ada, chat({ user: 'eve', safety_identifier: 'ada' })],
  ['/chat/completions', cut, chat({ user: 'ada\ud83d' })],
  ['/responses', red, { model: 'vendor_a/atlas', input: 'Hello', metadata }],
  ['/responses', ada, { model: 'vendor_a/atlas', input: 'Hello', user: 'ada' }],
  ['/messages', red, { model: 'vendor_b/lyric', messages, max_tokens: 9, metadata }],
  ['/messages', ada, { model: 'vendor_b/lyric', messages, max_tokens: 9, metadata: { user_id: 'ada' } }],
  ['/embeddings', red, { model: 'vendor_a/compass-small', input: 'Hello', metadata }],
  ['/embeddings', ada, { model: 'vendor_a/compass-small', input: 'Hello', user: 'ada' }],
  ['/images/generations', red, { model: 'vendor_f/canvas-fast', prompt: 'A boat', metadata }],
  ['/images/generations', ada, { model: 'vendor_f/canvas-fast', prompt: 'A boat', user: 'ada' }],
  ['/videos/generations', red, { model: 'vendor_i/reel', prompt: 'Rain', metadata }],
])(
  '%s: a request that exceeds a budget is a 402 that names it, and calls no vendor',
  async (path, subject, body) => {
    const client = await aClient(system)
    await budgetOf(client, { ...subject, value: `not ${subject.value}` }, 0n)
    await budgetOf(client, subject, 0n)
    system.simulator.reset()
    const refused = await client.post(path, body)
    const { error } = (await refused.json()) as { error: { code: string; message: string } }
    expect([refused.status, error.code]).toEqual([402, 'budget_limit_reached'])
    expect(error.message).toContain(`"${subject.value}" has reached its limit`)
    expect(system.simulator.calls).toEqual([])
    expect(await logsOf(system, client)).toMatchObject([{ status: 402, error_code: 'budget_limit_reached' }])

    const { metadata: _, user: __, safety_identifier: ___, ...unlabelled } = body as Record<string, unknown>
    const answered = await client.post(path, unlabelled)
    await answered.arrayBuffer()
    expect(answered.status).toBeLessThan(300)
  },
)

test('two edges at once spend no more than a budget, and leave the other requests alone', async () => {
  const edges = await aKeyOfTwoEdges()
  const [client] = edges
  // An answer of 16 tokens costs more than a tenth of this.
  await budgetOf(client, red, 1_000_000n)
  const ask = async (edge: TestClient, labels: object) => {
    const response = await edge.post('/chat/completions', chat(labels))
    await response.arrayBuffer()
    return response.status
  }
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, turn) => {
      await sleep(Math.random() * 50)
      return ask(edges[turn % 2]!, { metadata, ...(turn % 3 === 0 && { user: `user ${turn}` }) })
    }),
  )
  expect(new Set(statuses)).toEqual(new Set([200, 402]))
  const [budget] = await budgetsOf(client)
  expect(budget?.spentNanos).toBeGreaterThan(500_000n)
  expect(budget?.spentNanos).toBeLessThanOrEqual(1_000_000n)
  expect(await Promise.all(edges.map(edge => ask(edge, { metadata: { team: 'blue' } })))).toEqual([200, 200])
  const spent = (await logsOf(system, client)).filter(log => log.metadata?.includes('red'))
  expect(spent.reduce((sum, log) => sum + log.cost_nanos, 0n)).toBe(budget?.spentNanos)
})

test('a new budget, a lower limit and a deletion are in effect at once, however long the key was idle', async () => {
  const edges = await aKeyOfTwoEdges()
  const [client] = edges
  const { accountId } = client
  const statuses = () =>
    Promise.all(
      edges.flatMap(edge =>
        [1, 2, 3].map(async () => (await edge.post('/chat/completions', chat({ metadata }))).status),
      ),
    )
  expect(new Set(await statuses())).toEqual(new Set([200]))
  await sleep(3 * maxKeyAgeMs)
  const { id: budgetId } = await budgetOf(client, red, 100n * dollar)
  expect(new Set(await statuses())).toEqual(new Set([200]))
  expect((await budgetsOf(client))[0]?.spentNanos).toBeGreaterThan(0n)
  await sleep(3 * maxKeyAgeMs) // the edges have forgotten the key, and keep headroom for it
  await updateBudget(system.context, { accountId, budgetId, changes: { limitNanos: 1_000n } })
  expect(new Set(await statuses())).toEqual(new Set([402]))
  await deleteBudget(system.context, { accountId, budgetId })
  expect(new Set(await statuses())).toEqual(new Set([200]))
}, 30_000)

test('images and tasks count what they cost, and a running task holds its price', async () => {
  const client = await aClient(system, { creditNanos: 100n * dollar })
  const { accountId } = client
  const { id } = await budgetOf(client, red, 2n * dollar)
  const image = { model: 'vendor_f/canvas-fast', prompt: 'A boat', metadata }
  expect((await client.post('/images/generations', image)).status).toBe(200)
  const { cost_nanos: imageCost } = (await logsOf(system, client))[0]!
  expect((await budgetsOf(client))[0]?.spentNanos).toBe(imageCost)

  const video = { model: 'vendor_i/reel', prompt: 'Rain', metadata }
  const task = (await (await client.post('/videos/generations', video)).json()) as { id: string }
  const [row] = await system.context.sql`select price_nanos as price from tasks where id = ${task.id}`
  const price: bigint = row?.price
  expect((await budgetsOf(client))[0]?.heldNanos).toBeGreaterThanOrEqual(price)
  expect(price).toBeGreaterThan(0n)
  await updateBudget(system.context, { accountId, budgetId: id, changes: { limitNanos: imageCost + price } })
  expect((await client.post('/videos/generations', video)).status).toBe(402)
  await finishTask(system.context, { accountId, id: task.id }, { end: { status: 'success', results: [] } })
  expect((await budgetsOf(client))[0]).toMatchObject({ spentNanos: imageCost + price })
  expect((await balanceOf(system.context.sql, accountId)).credits).toBe(100n * dollar - imageCost - price)
})

test('a budget that is created while the inputs of a task are stored counts the task', async () => {
  const { sql } = system.context
  const client = await aClient(system)
  const input = { prompt: '@1 sings', image_urls: [aDataUri('png')] }
  const { submitting } = await sql.begin(async transaction => {
    await transaction`lock table media_files in share row exclusive mode`
    const submitted = client.post('/videos/generations', {
      model: 'vendor_l/ensemble-fast',
      ...input,
      metadata,
    })
    const waiting = () => sql`select from pg_locks where relation = 'media_files'::regclass and not granted`
    await expect.poll(waiting).toHaveLength(1)
    await budgetOf(client, red, 0n)
    return { submitting: submitted }
  })
  expect((await submitting).status).toBe(402)
})

test('budgets of the account, of a member and of a key count the requests of their keys', async () => {
  const { context } = system
  const client = await aClient(system)
  const { accountId } = client
  const { userId } = await aMember(context, { accountId })
  const owned = clientOf(system, await anApiKey(context, { accountId, createdBy: userId }))
  const subjects = {
    account: { account: true },
    member: { memberId: userId },
    key: { apiKeyId: client.keyId },
  }
  const budgets = await Promise.all(
    Object.values(subjects).map(subject =>
      createBudget(context, { accountId, subject, limitNanos: 100n * dollar, ...monthly }),
    ),
  )
  const ask = async (of: TestClient) => (await of.post('/chat/completions', chat({}))).status
  expect([await ask(client), await ask(owned)]).toEqual([200, 200])
  const spent = await Promise.all(
    budgets.map(async ({ id: budgetId }) => (await findBudget(context, { accountId, budgetId })).spentNanos),
  )
  const costs = (await logsOf(system, client)).map(log => log.cost_nanos)
  expect(spent).toEqual([costs[0]! + costs[1]!, ...spent.slice(1)])
  expect(new Set(spent.slice(1))).toEqual(new Set(costs))

  const names = ['account', 'member who owns the API key', 'API key']
  for (const [turn, { id: budgetId }] of budgets.entries()) {
    await updateBudget(context, { accountId, budgetId, changes: { limitNanos: 0n } })
    const refused = await (turn === 1 ? owned : client).post('/chat/completions', chat({}))
    const { error } = (await refused.json()) as { error: { message: string } }
    expect([refused.status, error.message]).toEqual([
      402,
      expect.stringContaining(`The budget of the ${names[turn]} `),
    ])
    expect(await ask(turn === 1 ? client : owned)).toBe(turn === 0 ? 402 : 200)
    await updateBudget(context, { accountId, budgetId, changes: { action: 'warn' } })
    expect([await ask(client), await ask(owned)]).toEqual([200, 200])
  }
})

const monthly = { action: 'refuse', resetInterval: 'monthly' } as const

function budgetOf({ accountId }: TestClient, subject: BudgetSubject, limitNanos: bigint) {
  const { kind, key, value } = subject
  const given = kind === 'tag' ? { tag: { key, value } } : { endUser: value }
  return createBudget(system.context, { accountId, subject: given, limitNanos, ...monthly })
}

function budgetsOf({ accountId }: TestClient) {
  return listBudgets(system.context, { accountId, slice: { limit: 10 } })
}

async function aKeyOfTwoEdges(): Promise<[TestClient, TestClient]> {
  const edge = forThisTest(await startEdge({ ...system.config, edgePort: 0 }))
  const client = await aClient(system, { creditNanos: 1_000n * dollar, rpm: 10_000 })
  return [client, clientOf({ baseURL: `${edge.url}/v1` }, client)]
}
