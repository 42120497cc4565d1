import { afterEach, expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { closeAccount, reopenAccount } from '../../domain/closures/close-account.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { systemIds } from '../../platform/ids.ts'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const operator = mintOperatorKey(systemIds)
const system = perFile(() => anEdgeBeforeControl({ OPERATOR_KEYS: `ada=${operator.digest}` }))
afterEach(() => expectLedgerToBalance(system.context.sql))

async function graph(query: string, variables: object, token = operator.key) {
  const response = await fetch(`${system.edge.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  })
  return response.json()
}

const close = (accountId: string, reason = 'asked by the customer') =>
  graph(
    `mutation ($input: CloseAccountInput!) {
      closeAccount(input: $input) { account { id credits held closedAt closingReason eraseAt erasedAt } } }`,
    { input: { accountId, reason } },
  )
const reopen = (accountId: string, reason = 'a mistake') =>
  graph(
    'mutation ($input: ReopenAccountInput!) { reopenAccount(input: $input) { account { closedAt eraseAt suspendedAt } } }',
    { input: { accountId, reason } },
  )

test('once an account is closed, no edge starts an upstream call with its keys, and its holds end', async () => {
  const other = forThisTest(await startEdge(system.config))
  const client = await aClient(system)
  const clients = [client, clientOf({ baseURL: `${other.url}/v1` }, client)]
  const served = clients.map(() => 0)
  const load = clients.flatMap((of, edge) =>
    Array.from({ length: 5 }, async () => {
      for (;;) {
        const response = await of.post('/chat/completions', saying('Hi'))
        if (response.status !== 200) return [response.status, (await response.json()).error.code]
        await response.arrayBuffer()
        served[edge]! += 1
      }
    }),
  )
  await expect.poll(() => Math.min(...served), { timeout: 10_000 }).toBeGreaterThan(20)
  system.simulator.reset()
  await closeAccount(system.context, { accountId: client.accountId, reason: 'a test' })
  const closedAt = Date.now()
  expect(await Promise.all(load)).toEqual(load.map(() => [403, 'account_closed']))
  expect(system.simulator.calls.filter(call => call.at > closedAt)).toEqual([])
  await expect
    .poll(async () => (await balanceOf(system.context.sql, client.accountId)).in_use, { timeout: 5_000 })
    .toBe(0n)
}, 30_000)

test('a stream that runs when its account is closed ends as usual and is charged', async () => {
  const client = await aClient(system)
  const before = await balanceOf(system.context.sql, client.accountId)
  const stream = await client.openai.chat.completions.create({
    ...saying('Tell me a long story'),
    stream: true,
  })
  let text = ''
  let closing: Promise<void> | undefined
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    closing ??= closeAccount(system.context, { accountId: client.accountId, reason: 'a test' })
  }
  await closing
  expect(text).not.toBe('')
  const after = await balanceOf(system.context.sql, client.accountId)
  expect(after.credits).toBeLessThan(before.credits)
  expect(after.in_use).toBe(0n)
})

test('a closed account is refused everywhere, names its credits, and works again when it is reopened', async () => {
  const email = 'closing@example.com'
  const password = 'correct horse battery'
  const signed = await system.rest('POST', '/auth/sign-up', { body: { email, password, name: 'Eve' } })
  const token: string = signed.body.access_token
  const accountId: string = (await system.rest('GET', '/me', { token })).body.id
  const { text: key } = await anApiKey(system.context, { accountId, isProvisioning: true })
  const credit = { accountId, amount: 12.5, reason: 'a gift' }
  await graph(
    'mutation ($input: CreditAccountInput!) { creditAccount(input: $input) { transaction { id } } }',
    {
      input: credit,
    },
  )
  const outcomes = async () => {
    const answers = await Promise.all([
      system.rest('GET', '/me', { token }),
      system.rest('GET', '/billing/balance', { token: key }),
      system.rest('POST', '/auth/log-in', { body: { email, password } }),
      system.rest('POST', '/auth/refresh', { body: { refresh_token: signed.body.refresh_token } }),
    ])
    return answers.map(({ status, body }) => (status < 300 ? 'ok' : `${status} ${body.error.code}`))
  }

  const { data } = await close(accountId)
  const { closedAt, eraseAt, ...account } = data.closeAccount.account
  expect(account).toEqual({
    id: accountId,
    credits: '12.5',
    held: '0',
    closingReason: 'asked by the customer',
    erasedAt: null,
  })
  expect(Date.parse(eraseAt) - Date.parse(closedAt)).toBe(30 * 86_400_000)
  expect(await outcomes()).toEqual(Array(4).fill('403 account_closed'))
  const again = (await close(accountId, 'another reason')).data.closeAccount.account
  expect(again).toMatchObject({ closedAt, eraseAt, closingReason: 'another reason' })
  const listed = await graph('{ accounts(isClosed: true, search: "closing@") { nodes { id } } }', {})
  expect(listed.data.accounts.nodes).toEqual([{ id: accountId }])

  expect((await reopen(accountId)).data.reopenAccount.account).toEqual({
    closedAt: null,
    eraseAt: null,
    suspendedAt: null,
  })
  expect(await outcomes()).toEqual(Array(4).fill('ok'))
  const log = await system.rest('GET', '/audit-log', { token })
  const actions = log.body.data.map((entry: Record<string, unknown>) => [
    entry.action,
    entry.operator,
    entry.reason,
  ])
  expect(actions).toEqual(
    expect.arrayContaining([
      ['closeAccount', 'ada', 'asked by the customer'],
      ['closeAccount', 'ada', 'another reason'],
      ['reopenAccount', 'ada', 'a mistake'],
      ['creditAccount', 'ada', 'a gift'],
    ]),
  )
  expect((await reopen(accountId)).errors[0]).toMatchObject({
    message: 'The account is not closed.',
    extensions: { problem: 'conflict' },
  })
})

test('a suspended account that is closed and reopened is still suspended', async () => {
  const { accountId, text } = await aClient(system)
  await graph(
    'mutation ($input: SuspendAccountInput!) { suspendAccount(input: $input) { account { id } } }',
    {
      input: { accountId, reason: 'chargebacks' },
    },
  )
  await closeAccount(system.context, { accountId, reason: 'a test' })
  await reopenAccount(system.context, { accountId, reason: 'a test' })
  const { body } = await system.rest('GET', '/billing/balance', { token: text })
  expect(body.error.code).toBe('account_suspended')
})

test.each([
  ['a blank reason', { reason: ' ' }, 'validation_failed', 'reason'],
  ['a reason that is too long', { reason: 'x'.repeat(501) }, 'validation_failed', 'reason'],
  ['an account that does not exist', { accountId: systemIds.uuid() }, 'not_found', undefined],
  ['an ID that is no ID', { accountId: "'" }, 'not_found', undefined],
])('%s is refused by both mutations and leaves no entry', async (_, wrong, problem, param) => {
  const { accountId } = await aClient(system)
  for (const name of ['closeAccount', 'reopenAccount']) {
    const type = name.replace(/^./, first => first.toUpperCase())
    const { errors } = await graph(
      `mutation ($input: ${type}Input!) { ${name}(input: $input) { account { id } } }`,
      {
        input: { accountId, reason: 'a reason', ...wrong },
      },
    )
    expect(errors[0].extensions).toMatchObject({ problem, ...(param && { param }) })
  }
  expect(await system.context.sql`select from audit_log where account_id = ${accountId}`).toHaveLength(0)
  const [account] = await system.context.sql`select closed_at from accounts where id = ${accountId}`
  expect(account).toEqual({ closed_at: null })
})

test('a closure whose audit entry cannot be completed does not happen', async () => {
  const { accountId, post } = await aClient(system)
  await system.context.sql`
    create function refuse_done() returns trigger language plpgsql as $$ begin raise 'no disk'; end $$`
  await system.context.sql`create trigger refused before update on audit_log execute function refuse_done()`
  try {
    expect((await close(accountId)).errors[0].extensions.problem).toBe('internal')
    expect((await post('/chat/completions', saying('Hi'))).status).toBe(200)
  } finally {
    await system.context.sql`drop trigger refused on audit_log`
  }
})
