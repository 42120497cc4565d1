import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { guardedOperations } from '../../domain/callers/confirmations.ts'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { startControl } from '../../gateway/start-control.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { systemIds } from '../../platform/ids.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { aRestCaller } from '../harness/a-rest-caller.ts'
import { anApiKey } from '../harness/an-account.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'
import { protocols } from '../tasks/subscribers.ts'

const [operator, successor] = [mintOperatorKey(systemIds), mintOperatorKey(systemIds)]
const clock = { ...systemClock, aheadMs: 0, now: () => Date.now() + clock.aheadMs }
const control = perFile(() => aControlPlane({ OPERATOR_KEYS: `ada=${operator.digest}` }, { clock }))
const person = perFile(() => control.aPerson())

const reason = 'The customer reports wrong charges.'

async function open(accountId = person.accountId): Promise<string> {
  const path = `/operator/accounts/${accountId}/view`
  const { status, body } = await control.rest('POST', path, { token: operator.key, body: { reason } })
  expect([status, body.account.id]).toEqual([201, accountId])
  return body.access_token
}

const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  status < 300 ? 'ok' : `${status} ${body.error?.code}`
const me = async (token: string, rest = control.rest) => outcome(await rest('GET', '/me', { token }))

test('a view reads what a member reads, without secrets, and the audit log has the operator and the reason', async () => {
  const { text } = await anApiKey(control.context, { accountId: person.accountId })
  const token = await open()
  const query = `{
    viewer { user { id } role account { id } }
    apiKeys { nodes { keyPrefix fullKey } } members { nodes { email } } invitations { totalCount }
    auditEntries { nodes { action operator reason } }
  }`
  const { data, errors } = await control.graph(query, { token })
  expect(errors).toBeUndefined()
  expect(data.viewer).toEqual({ user: null, role: null, account: { id: person.accountId } })
  expect(data.apiKeys.nodes).toEqual([{ keyPrefix: expect.any(String), fullKey: null }])
  expect(data.members.nodes).toEqual([{ email: person.email }])
  expect(data.auditEntries.nodes).toContainEqual({ action: 'viewAccount', operator: 'ada', reason })
  expect(JSON.stringify(data)).not.toContain(text.slice(-20))
})

test('a suspended or closed account can be viewed until the deletion of its data begins', async () => {
  const { sql } = control.context
  const { accountId } = await control.aPerson()
  await sql`update accounts set closed_at = now(), suspended_at = now() where id = ${accountId}`
  const token = await open(accountId)
  expect(await me(token)).toBe('ok')
  await sql`update accounts set erased_at = now() where id = ${accountId}`
  expect(await me(token)).toBe('403 account_closed')
  const again = await control.rest('POST', `/operator/accounts/${accountId}/view`, {
    token: operator.key,
    body: { reason },
  })
  expect(outcome(again)).toBe('403 account_closed')
  expect(
    await sql`select from audit_log where account_id = ${accountId} and action = 'viewAccount'`,
  ).toHaveLength(1)
})

test.each([
  ['a blank reason', { reason: ' ' }, '422 validation_failed'],
  ['an account that does not exist', { accountId: systemIds.uuid() }, '404 not_found'],
  ['an ID that is no ID', { accountId: "'" }, '404 not_found'],
])(
  '%s opens no view and leaves no entry',
  async (_, { accountId, ...body }: { accountId?: string; reason?: string }, expected) => {
    const other = await control.aPerson()
    const path = `/operator/accounts/${encodeURIComponent(accountId ?? other.accountId)}/view`
    const answer = await control.rest('POST', path, { token: operator.key, body: { reason, ...body } })
    expect(outcome(answer)).toBe(expected)
    const entries = await control.context
      .sql`select from audit_log where action = 'viewAccount' and account_id = ${other.accountId}`
    expect(entries).toHaveLength(0)
  },
)

test('a view is no session: it logs in to nothing, refreshes nothing and confirms nothing', async () => {
  const token = await open()
  const { email, password, refreshToken } = person
  const attempts: [path: string, body: object][] = [
    ['/auth/refresh', { refresh_token: token }],
    ['/auth/refresh', { refresh_token: refreshToken }],
    ['/auth/log-in', { email, password }],
    ['/auth/sign-up', { email, password }],
    ['/auth/switch-account', { account_id: person.accountId }],
    ['/auth/log-out', {}],
    ['/auth/confirm', { password }],
    [`/operator/accounts/${person.accountId}/view`, { reason }],
    ['/api-keys', { name: 'a key' }],
  ]
  for (const [path, body] of attempts)
    expect(outcome(await control.rest('POST', path, { token, body })), path).toBe('403 forbidden')
  const asRefreshToken = await control.rest('POST', '/auth/refresh', { body: { refresh_token: token } })
  expect(outcome(asRefreshToken)).toBe('401 token_expired')
  expect(await me(person.token)).toBe('ok')
  expect(guardedOperations().filter(operation => operation.startsWith('Mutation')).length).toBeGreaterThan(10)
})

test('a view reads one account', async () => {
  const other = await control.aPerson()
  const token = await open()
  const query = `query ($id: ID!) { requests(accountId: $id) { totalCount } transactions(accountId: $id) { totalCount } account(id: $id) { id } }`
  const { errors } = await control.graph(query, { token, variables: { id: other.accountId } })
  expect(errors?.map(error => error.extensions.problem)).toEqual(Array(3).fill('forbidden'))
  const node = await control.graph('query ($id: ID!) { node(id: $id) { id } }', {
    token,
    variables: { id: other.accountId },
  })
  expect(node.data.node).toBeNull()
})

test('tokens of sessions and of views are not exchangeable, and their signatures are verified', async () => {
  const token = await open()
  const jwt = token.slice('rb-view-'.length)
  const [head = '', claims = '', signature = ''] = jwt.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const hmacOf = (text: string) =>
    createHmac('sha256', control.config.baseUrl).update(text).digest('base64url')
  const byHmac = `${encode({ ...decode(head), alg: 'HS256' })}.${claims}`
  const session = encode({ ...decode(head), typ: 'JWT' })
  const other = await control.aPerson()
  const forged = [
    jwt, // a view without its prefix
    `rb-view-${person.token}`,
    `rb-view-rb-view-${jwt}`,
    `rb-view-${jwt}=`,
    `${session}.${claims}.${signature}`,
    `rb-view-${encode({ ...decode(head), alg: 'none' })}.${claims}.`,
    `rb-view-${byHmac}.${hmacOf(byHmac)}`,
    `rb-view-${head}.${encode({ ...decode(claims), account_id: other.accountId })}.${signature}`,
    'rb-view-',
  ]
  for (const wrong of forged) expect(await me(wrong), wrong).toBe('401 unauthenticated')
  expect(await me(token)).toBe('ok')
})

test('a view ends with the key of its operator, and is limited to the networks of operators', async () => {
  const token = await open()
  const restWith = async (changes: Partial<Config>) =>
    aRestCaller(forThisTest(await startControl({ ...control.config, ...changes })).url)
  const withKeys = (...keys: [string, string][]) => restWith({ operatorKeys: new Map(keys) })
  expect(await me(token, await withKeys(['ada', operator.digest], ['eve', successor.digest]))).toBe('ok')
  for (const keys of [[], [['ada', successor.digest]], [['eve', operator.digest]]] as [string, string][][])
    expect(await me(token, await withKeys(...keys))).toBe('401 unauthenticated')
  expect(await me(token, await restWith({ operatorNetworks: ['192.0.2.0/24'] }))).toBe('403 ip_not_allowed')
})

test('the inference API does not accept a view', async () => {
  const edge = forThisTest(await startEdge(control.config))
  const authorization = `Bearer ${await open()}`
  const requests = ['POST /chat/completions', 'POST /images/generations', 'GET /credits', 'GET /models']
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ')
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${edge.url}/v1${path}`, {
      method,
      headers,
      ...(method === 'POST' && { body: '{}' }),
    })
    expect([answer.status, await answer.json()], request).toEqual([
      401,
      { code: 401, msg: 'You do not have access permissions' },
    ])
  }
})

test.each(['graphql-ws', 'graphql-sse'] as const)(
  'a view subscribes over %s until it ends',
  async protocol => {
    const client = protocols[protocol](control.url, await open())
    const events = client.subscribe('subscription { balanceChanged { credits } }')
    expect((await events.next()).value.data).toEqual({ balanceChanged: { credits: '0' } })
    const next = events.next()
    clock.aheadMs = 15 * 60_000
    expect((await next).value.errors?.[0]).toMatchObject({ extensions: { problem: 'token_expired' } })
    clock.aheadMs = 0
    await client.dispose()
  },
)
