import { beforeAll, expect, test } from 'vitest'
import { newDeliveryId, queueDelivery } from '../../domain/callbacks/queue-delivery.ts'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { systemIds } from '../../platform/ids.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { aSettledRequest } from '../harness/ledger/a-settled-request.ts'
import { perFile } from '../harness/per-file.ts'

const operator = mintOperatorKey(systemIds)
let accountId: string
let token: string
let made: { request: string; payment: string; delivery: string }

const control = perFile(() => aControlPlane({ OPERATOR_KEYS: `ada=${operator.digest}` }))

beforeAll(async () => {
  ;({ accountId, token } = await control.aPerson())
  const { context } = control
  const key = await control.rest('POST', '/api-keys', { token, body: { name: 'a key' } })
  const settled = await aSettledRequest(context.sql, { accountId, keyId: key.body.id, costNanos: 1_000n })
  made = { request: settled.id, payment: context.ids.tagged('pay_'), delivery: newDeliveryId(context) }
  await context.sql`
  insert into payments (account_id, id, amount_nanos, currency) values (${accountId}, ${made.payment}, 1, 'usd')`
  const url = 'https://example.com/'
  await queueDelivery(context.sql, { accountId, id: made.delivery, event: 'test', url, body: '{}' })
  await context.sql`
  insert into delivery_tries (account_id, delivery_id, number, started_at, status)
  values (${accountId}, ${made.delivery}, 1, now(), 503)`
})

const lists = `query ($accountId: ID) {
  requests(accountId: $accountId) { totalCount nodes { id } }
  transactions(accountId: $accountId) { totalCount nodes { request { id } } }
  topUps(accountId: $accountId) { totalCount nodes { id } }
  callbackDeliveries(accountId: $accountId) { totalCount nodes { id tries { status } } }
}`

test('an operator reads what an account reads of itself, and no other account does', async () => {
  const own = await control.graph(lists, { token })
  expect(own.errors).toBeUndefined()
  expect(own.data).toEqual({
    requests: { totalCount: 1, nodes: [{ id: made.request }] },
    transactions: { totalCount: 1, nodes: [{ request: { id: made.request } }] },
    topUps: { totalCount: 1, nodes: [{ id: made.payment }] },
    callbackDeliveries: { totalCount: 1, nodes: [{ id: made.delivery, tries: [{ status: 503 }] }] },
  })
  const read = await control.graph(lists, { token: operator.key, variables: { accountId } })
  expect(read).toEqual(own)

  const problems = async (options: { token: string; variables?: Record<string, unknown> }) =>
    (await control.graph(lists, options)).errors?.map(error => error.extensions.problem)
  expect(await problems({ token: operator.key })).toEqual(Array(4).fill('validation_failed'))
  const other = await control.aPerson()
  expect(await problems({ token: other.token, variables: { accountId } })).toEqual(Array(4).fill('forbidden'))
})

const setAllowance = `mutation ($input: SetAllowanceInput!) { setAllowance(input: $input) {
  account { allowances { resource limit unit windowSeconds isOwn } } } }`

test('an operator sets a limit of an account, which the account sees and the audit log names', async () => {
  const set = async (input: object, as = operator.key) =>
    control.graph(setAllowance, {
      token: as,
      variables: { input: { accountId, resource: 'keys', ...input } },
    })
  const keysOf = (allowances: { resource: string }[]) =>
    allowances.find(({ resource }) => resource === 'keys')

  const { data } = await set({ limit: 7 })
  const limited = { resource: 'keys', limit: 7, unit: 'API keys', windowSeconds: null, isOwn: true }
  expect(keysOf(data.setAllowance.account.allowances)).toEqual(limited)
  const mine =
    '{ me { allowances { resource limit unit windowSeconds isOwn } } auditEntries { nodes { action } } }'
  await expect
    .poll(async () => keysOf((await control.graph(mine, { token })).data.me.allowances))
    .toEqual(limited)
  const entries = (await control.graph(mine, { token })).data.auditEntries.nodes
  expect(entries[0]).toEqual({ action: 'setAllowance' })

  const removed = await set({ limit: null })
  expect(keysOf(removed.data.setAllowance.account.allowances)).toMatchObject({ limit: 100, isOwn: false })
  for (const input of [{ limit: -1 }, { limit: 5, resource: 'kings' }, { limit: 2e15 }])
    expect((await set(input)).errors?.[0]?.extensions.problem).toBe('validation_failed')
  expect((await set({ limit: 9 }, token)).errors?.[0]?.extensions.problem).toBe('forbidden')
})
