import { expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { systemIds } from '../../platform/ids.ts'
import { saying } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const operator = mintOperatorKey(systemIds)
const system = perFile(() => anEdgeBeforeControl({ OPERATOR_KEYS: `ada=${operator.digest}` }))

const email = 'suspended@example.com'
const password = 'correct horse battery'

async function send(method: string, path: string, body: object | undefined, token = '') {
  const response = await fetch(system.edge.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const asOperator = async (query: string, variables: object = {}) =>
  (await send('POST', '/graphql', { query, variables }, operator.key)).body

test('a suspended account is refused on every surface once the answer is out, and works again when it is resumed', async () => {
  const signed = await send('POST', '/api/v1/auth/sign-up', { email, password, name: 'Eve' })
  const token: string = signed.body.access_token
  const accountId: string = (await send('GET', '/api/v1/me', undefined, token)).body.id
  await creditAccount(system.context, {
    accountId,
    amountNanos: 1_000_000_000n,
    source: 'test',
    paymentMethod: 'grant',
  })
  const created = await send('POST', '/api/v1/api-keys', { name: 'a key' }, token)
  const key: string = created.body.key
  const surfaces = async () => {
    const answers = await Promise.all([
      send('POST', '/v1/chat/completions', saying('Hi'), key),
      send('GET', '/v1/models', undefined, key),
      send('GET', '/api/v1/billing/balance', undefined, key),
      send('GET', '/api/v1/me', undefined, token),
      send('POST', '/api/v1/auth/log-in', { email, password }),
      send('POST', '/api/v1/auth/refresh', { refresh_token: signed.body.refresh_token }),
    ])
    const graph = await send('POST', '/graphql', { query: '{ me { id } }' }, token)
    return [
      ...answers.map(({ status, body }) => (status < 300 ? 'ok' : `${status} ${body.error.code}`)),
      graph.body.data?.me ? 'ok' : graph.body.errors[0].extensions.problem,
    ]
  }
  const suspend = `mutation ($input: SuspendAccountInput!) { suspendAccount(input: $input) { account {
    id name emails suspendedAt suspensionReason credits keyCount isPaying allowances { resource limit isOwn } } } }`

  expect((await send('POST', '/v1/chat/completions', saying('Hi'), key)).status).toBe(200)
  const { data, errors } = await asOperator(suspend, { input: { accountId, reason: 'chargebacks' } })
  expect(errors).toBeUndefined()
  expect(data.suspendAccount.account).toMatchObject({
    id: accountId,
    emails: [email],
    suspendedAt: expect.any(String),
    suspensionReason: 'chargebacks',
    keyCount: 1,
  })
  expect(await surfaces()).toEqual([...Array(6).fill('403 account_suspended'), 'account_suspended'])

  const found = await asOperator(
    `{ accounts(search: "SUSPENDED@", isSuspended: true) { totalCount nodes { id } }
       auditEntries { nodes { action } } }`,
  )
  expect(found.data.accounts).toEqual({ totalCount: 1, nodes: [{ id: accountId }] })
  await asOperator(
    'mutation ($input: ResumeAccountInput!) { resumeAccount(input: $input) { account { suspendedAt } } }',
    { input: { accountId } },
  )
  expect((await surfaces()).every(outcome => outcome === 'ok')).toBe(true)
  const other = await send('POST', '/graphql', { query: '{ accounts { totalCount } }' }, token)
  expect(other.body.errors[0].extensions.problem).toBe('forbidden')
})
