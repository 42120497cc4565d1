import { type IncomingMessage, request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { newDeliveryId, queueDelivery } from '../../domain/callbacks/queue-delivery.ts'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { exportedParts } from '../../gateway/rest/routes/account-export.ts'
import { systemIds } from '../../platform/ids.ts'
import { theControlPlane } from '../harness/a-control-plane.ts'
import { anInvitation, joinAccount } from '../harness/an-account.ts'
import { aSettledRequest } from '../harness/ledger/a-settled-request.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { aNewTask } from '../tasks/a-task.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of records and fail if they are missing
type Line = any

const operator = mintOperatorKey(systemIds)
const { control, person } = theControlPlane({ OPERATOR_KEYS: `ada=${operator.digest}` })
const requestCount = 250
const alertUrl = 'https://hooks.example.com/secret-path'
/** Every secret of the account. */
const secrets: string[] = []

beforeAll(async () => {
  const { context } = control
  const { sql } = context
  const { accountId, token, password, refreshToken } = person
  await applyCatalogue(context, await theCatalogue())
  const create = async (path: string, body: object) =>
    (await control.rest('POST', path, { token, body })).body
  const key = await create('/api-keys', { name: 'ordinary' })
  const provisioning = await create('/api-keys', { name: 'provisioning', is_provisioning: true })
  const [secret, privateKey] = [
    'sk-upstream-1234567890',
    '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n',
  ]
  await create('/byok', { provider: 'vendor_a', label: 'plain', api_key: secret })
  const config = { type: 'service_account', private_key: privateKey, token: 'token-abcdefgh' }
  await create('/byok', {
    provider: 'vendor_c',
    label: 'nested',
    api_key: secret,
    config_json: { auth: config },
  })
  await create('/billing/alerts', { threshold: 5 })
  await create('/budgets', { end_user: 'ada', limit: 5 })
  const callback = await create('/callback-secrets', {})
  secrets.push(key.key, provisioning.key, secret, privateKey.slice(28, 34), config.token)
  secrets.push(password, refreshToken, token, callback.data[0].secret)
  await anInvitation(context, { accountId })
  await sql`update balances set credits_nanos = 100000000000 where account_id = ${accountId}`
  for (let n = 0; n < requestCount; n++) {
    const createdAt = new Date(Date.now() - n * 1000)
    await aSettledRequest(sql, { accountId, keyId: key.id, costNanos: 1_000n, createdAt })
  }
  const ledger = await openLedger(context, { kind: 'edge' })
  await submitTask({ context, ledger: directLedger(ledger) }, aNewTask(context, { accountId, keyId: key.id }))
  await closeLedger(ledger)
  const alert = { accountId, id: newDeliveryId(context), event: 'balance.low', url: alertUrl, body: '{}' }
  await queueDelivery(sql, alert)
  await sql`
    insert into payments (account_id, id, amount_nanos, currency)
    values (${accountId}, ${context.ids.tagged('pay_')}, 1, 'usd')`
})

const open = (token = person.token, query = '') =>
  fetch(`${control.url}/api/v1/account-export${query}`, { headers: { authorization: `Bearer ${token}` } })

async function linesOf(token?: string): Promise<Line[]> {
  const answer = await open(token)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  return (await answer.text())
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

/** Opens an operator's view of an account. */
async function aView(accountId: string): Promise<string> {
  const body = { reason: 'The customer asked for the data.' }
  const path = `/operator/accounts/${accountId}/view`
  return (await control.rest('POST', path, { token: operator.key, body })).body.access_token
}

const byType = (lines: Line[], type: string) =>
  lines.flatMap(({ type: own, ...record }) => (own === type ? [record] : []))
const outcomes = async () => {
  const { body } = await control.rest('GET', '/audit-log', { token: person.token })
  return body.data.flatMap((entry: Line) => (entry.action === 'exportAccount' ? [entry.outcome] : []))
}

test('an export has every record of the account as the REST API presents it, in order, and ends with their numbers', async () => {
  const lines = await linesOf()
  const types = exportedParts.map(({ type }) => type)
  const counts = Object.fromEntries(types.map(type => [type, byType(lines, type).length]))
  expect(lines.at(-1)).toEqual({ type: 'end', counts })
  expect([...new Set(lines.map(({ type }) => type))]).toEqual([...types, 'end'])
  expect(counts).toMatchObject({
    account: 1,
    api_key: 2,
    credential: 2,
    request: requestCount,
    task: 1,
    callback: 1,
  })
  const { token } = person
  const paths = {
    member: '/members',
    invitation: '/invitations',
    budget: '/budgets',
    balance_alert: '/billing/alerts',
    top_up: '/billing/topup',
    task: '/tasks',
  }
  for (const [type, path] of Object.entries(paths))
    expect(byType(lines, type), type).toEqual((await control.rest('GET', path, { token })).body.data)
  const credentials = await control.rest('GET', '/byok', { token })
  expect(byType(lines, 'credential')).toEqual(credentials.body)
  const requests = await fetch(`${control.url}/api/v1/logs/requests.ndjson`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const log = (await requests.text()).trimEnd().split('\n')
  expect(byType(lines, 'request')).toEqual(log.map(line => JSON.parse(line)))
  expect(byType(lines, 'account')[0]).toMatchObject({ id: person.accountId, balance: { currency: 'USD' } })
  expect((await outcomes())[0]).toBe('done')
})

test('an export of a period has the records of the period, and a wrong period is refused before the first line', async () => {
  const until = new Date(Date.now() - 100_000).toISOString()
  const answer = await open(person.token, `?until=${until}&first=1&after=x`)
  const lines: Line[] = (await answer.text())
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const all = byType(await linesOf(), 'request')
  expect(byType(lines, 'request')).toEqual(all.filter(({ created_at }) => created_at < until))
  expect(byType(lines, 'api_key')).toHaveLength(2)
  expect(byType(lines, 'task')).toHaveLength(0)
  const wrong = await open(person.token, '?since=yesterday')
  expect([wrong.status, (await wrong.json()).error.param]).toEqual([422, 'since'])
})

test('an export has no secret, and no text that looks like one', async () => {
  const text = JSON.stringify(await linesOf())
  for (const secret of secrets) expect(text).not.toContain(secret)
  expect(text).not.toMatch(
    /sk-rb-(prov-|op-)?[\w-]{20}|rb-(refresh|view)-|whsec_|eyJ[\w-]{10}|PRIVATE KEY|\$argon2/,
  )
})

test('only callers with the rights of every part can export the account', async () => {
  const statusOf = async (credential: string) => {
    const answer = await open(credential)
    await answer.body?.cancel()
    return answer.status
  }
  const { accountId, token } = person
  for (const role of ['developer', 'billing', 'viewer'] as const)
    expect(await statusOf(await joinAccount(control, { accountId, role })), role).toBe(403)
  const keyWith = async (...scopes: string[]) => {
    const body = { name: 'a key', is_provisioning: true, scopes }
    return (await control.rest('POST', '/api-keys', { token, body })).body.key
  }
  expect(await statusOf(await keyWith('all'))).toBe(401)
  expect(await statusOf(operator.key)).toBe(403)
  for (const allowed of [
    await keyWith('all', 'keys', 'members'),
    await joinAccount(control, { accountId, role: 'admin' }),
  ])
    expect((await linesOf(allowed)).at(-1)).toMatchObject({ type: 'end' })
})

test('an operator exports a closed account through a view, as the account itself would, without the webhook of its alerts', async () => {
  const { accountId } = person
  const own = await linesOf()
  await control.context.sql`update accounts set closed_at = now() where id = ${accountId}`
  const lines = await linesOf(await aView(accountId))
  await control.context.sql`update accounts set closed_at = null where id = ${accountId}`
  const withoutAudit = (all: Line[]) => all.filter(({ type }) => !['audit_entry', 'end'].includes(type))
  const readable = JSON.stringify(withoutAudit(own)).replaceAll(alertUrl, 'https://hooks.example.com')
  expect(JSON.stringify(own)).toContain(alertUrl)
  expect(withoutAudit(lines)).toEqual(JSON.parse(readable))
  const [latest] = byType(lines, 'audit_entry')
  expect(latest).toMatchObject({ action: 'exportAccount', actor_kind: 'operator', operator: 'ada' })
})

test('an account has one export at a time, and a cut export has no end and is not done', async () => {
  const rich = await control.aPerson()
  await control.context.sql`
    insert into request_logs (account_id, created_at, id, api_key_id, route, status, model, end_user)
    select ${rich.accountId}, now() - n * interval '1 second', 'req_' || lpad(n::text, 8, '0'), gen_random_uuid(), 'chat',
      200, 'vendor_a/model', repeat('x', 8000)
    from generate_series(1, 3000) n`
  const reader = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${rich.token}` }
    request(`${control.url}/api/v1/account-export`, { headers, agent: false }, resolve)
      .once('error', reject)
      .end()
  })
  let text = ''
  reader.setEncoding('utf8').once('data', part => {
    text += part
    reader.pause()
  })
  const second = await open(rich.token)
  expect([second.status, (await second.json()).error.code]).toEqual([409, 'conflict'])
  expect((await linesOf()).at(-1).type).toBe('end') // another account's
  const operators = await open(await aView(rich.accountId))
  await operators.body?.cancel()
  expect(operators.status).toBe(200)
  reader.once('error', () => {}).destroy()
  expect(text).not.toContain('"type":"end"')
  await expect.poll(async () => (await open(rich.token)).status).toBe(200)
  const { body } = await control.rest('GET', '/audit-log', { token: rich.token })
  const own = body.data.filter(
    ({ action, actor_kind: kind }: Line) => action === 'exportAccount' && kind === 'session',
  )
  expect(own.at(-1)).toMatchObject({ outcome: 'unknown' })
}, 60_000)
