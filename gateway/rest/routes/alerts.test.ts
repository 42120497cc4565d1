import { describe, expect, test } from 'vitest'
import { adjustCredits } from '../../../domain/ledger/adjust-credits.ts'
import { theControlPlane } from '../../../test/harness/a-control-plane.ts'
import { anApiKey } from '../../../test/harness/an-account.ts'

const { control, person } = theControlPlane()

const alerts = (method: string, path = '', body?: unknown, token: string | undefined = person.token) =>
  control.rest(method, `/billing/alerts${path}`, { body, token })

describe('POST /api/v1/billing/alerts', () => {
  test('returns 201 with the record: id, threshold, last_sent_at, created_at', async () => {
    const { status, body } = await alerts('POST', '', { threshold: 12.345678901 })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      threshold: 12.345678901,
      last_sent_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
    })
  })

  test.each([0, 0.000000001, 1_000_000_000])('accepts a threshold of %j', async threshold => {
    expect(await alerts('POST', '', { threshold })).toMatchObject({ status: 201, body: { threshold } })
  })

  test('returns 409 for the 51st alert of an account, also with concurrent requests', async () => {
    const { token } = await control.aPerson()
    const creates = Array.from({ length: 60 }, () => alerts('POST', '', { threshold: 1 }, token))
    const statuses = (await Promise.all(creates)).map(({ status }) => status)
    expect(Object.groupBy(statuses, String)).toEqual({ 201: Array(50).fill(201), 409: Array(10).fill(409) })
    expect((await alerts('POST', '', { threshold: 1 }, token)).body.error.code).toBe('conflict')
    const { body } = await alerts('GET', '', undefined, token)
    expect(body.data).toHaveLength(50)
    expect((await alerts('DELETE', `/${body.data[0].id}`, undefined, token)).status).toBe(204)
    expect((await alerts('POST', '', { threshold: 1 }, token)).status).toBe(201)
  })
})

test('GET /api/v1/billing/alerts lists the alerts of the account, newest first', async () => {
  const [one, other] = [await control.aPerson(), await control.aPerson()]
  await alerts('POST', '', { threshold: 7 }, other.token)
  for (const threshold of [1, 3, 2]) await alerts('POST', '', { threshold }, one.token)
  const { status, body } = await alerts('GET', '', undefined, one.token)
  expect(status).toBe(200)
  expect(body.data.map(({ threshold }: { threshold: number }) => threshold)).toEqual([2, 3, 1])
  expect(Object.keys(body.data[0])).toEqual(['id', 'threshold', 'last_sent_at', 'created_at'])
})

describe('DELETE /api/v1/billing/alerts/{id}', () => {
  test('returns 204 without a body; the alert is deleted and does not fire', async () => {
    const { token, accountId } = await control.aPerson()
    const grant = { accountId, amountNanos: 10_000_000_000n, source: 'grant', reason: 'to begin with' }
    await adjustCredits(control.context, grant)
    const { id } = (await alerts('POST', '', { threshold: 5 }, token)).body
    const { status, body } = await alerts('DELETE', `/${id}`, undefined, token)
    expect([status, body]).toEqual([204, undefined])
    expect((await alerts('GET', '', undefined, token)).body).toEqual({ data: [] })
    const [balance] = await control.context.sql`
      select fires_below_nanos, arms_from_nanos from balances where account_id = ${accountId}`
    expect(balance).toEqual({ fires_below_nanos: null, arms_from_nanos: null })
  })

  test('returns 404 for an ID that is unknown, deleted or of another account', async () => {
    const other = await control.aPerson()
    const { id: foreign } = (await alerts('POST', '', { threshold: 1 }, other.token)).body
    const { id: deleted } = (await alerts('POST', '', { threshold: 1 })).body
    await alerts('DELETE', `/${deleted}`)
    for (const id of [foreign, deleted, 'x', '00000000-0000-7000-8000-000000000000']) {
      expect(await alerts('DELETE', `/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'alert_not_found' } },
      })
    }
    expect((await alerts('GET', '', undefined, other.token)).body.data).toHaveLength(1)
  })
})

describe('in the graph', () => {
  const one = 'query ($id: ID!) { balanceAlert(id: $id) { id threshold isArmed lastSentAt } }'

  test('an alert is found by ID and listed with its account', async () => {
    const { token } = await control.aPerson()
    const create = `mutation ($input: CreateBalanceAlertInput!) {
      createBalanceAlert(input: $input) { balanceAlert { id threshold isArmed } }
    }`
    const created = await control.graph(create, { token, variables: { input: { threshold: 0 } } })
    const { id, isArmed } = created.data.createBalanceAlert.balanceAlert
    expect(isArmed).toBe(true)
    expect((await control.graph(one, { token, variables: { id } })).data.balanceAlert).toMatchObject({ id })
    expect((await control.graph('{ me { balanceAlerts { id } } }', { token })).data.me.balanceAlerts).toEqual(
      [{ id }],
    )
    const drop = 'mutation ($id: ID!) { deleteBalanceAlert(input: { id: $id }) { deletedBalanceAlertId } }'
    const dropped = await control.graph(drop, { token, variables: { id } })
    expect(dropped.data.deleteBalanceAlert).toEqual({ deletedBalanceAlertId: id })
    expect((await control.graph(one, { token, variables: { id } })).data).toEqual({ balanceAlert: null })
  })

  test('an alert of another account is not found, and an ordinary key is refused', async () => {
    const other = await control.aPerson()
    const { id } = (await alerts('POST', '', { threshold: 3 })).body
    expect((await control.graph(one, { token: other.token, variables: { id } })).data.balanceAlert).toBeNull()
    const { text } = await anApiKey(control.context, { accountId: person.accountId })
    const { data, errors } = await control.graph('{ me { id balanceAlerts { id } } }', { token: text })
    expect(data.me).toEqual({ id: person.accountId, balanceAlerts: null })
    expect(errors?.[0]?.extensions).toMatchObject({ problem: 'forbidden' })
  })
})

describe('the webhook for alerts', () => {
  const settings = (method: string, path: string, token: string, body?: unknown) =>
    control.rest(method, `/billing/alert-settings${path}`, { token, body })

  test('is set, read and removed', async () => {
    const { token } = await control.aPerson()
    const webhook = { webhook_url: 'https://example.com/alerts' }
    expect((await settings('GET', '', token)).body).toEqual({ webhook_url: null })
    expect(await settings('PUT', '', token, webhook)).toMatchObject({ status: 200, body: webhook })
    expect((await settings('GET', '', token)).body).toEqual(webhook)
    expect((await settings('PUT', '', token, { webhook_url: null })).body).toEqual({ webhook_url: null })
  })

  test('a test queues a delivery to it; without a webhook, a test fails with 409', async () => {
    const { token, accountId } = await control.aPerson()
    const refused = await settings('POST', '/test', token)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict'])
    await settings('PUT', '', token, { webhook_url: 'https://example.com/alerts' })
    const { status, body } = await settings('POST', '/test', token)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^msg_/),
      event: 'webhook.test',
      url: 'https://example.com/alerts',
      state: 'pending',
    })
    const [queued] = await control.context.sql<{ body: string }[]>`
      select body from deliveries where account_id = ${accountId} and id = ${body.id}`
    expect(JSON.parse(queued?.body ?? '')).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      data: {},
    })
    const { data } = (await control.rest('GET', '/billing/alert-deliveries', { token })).body
    expect(data).toMatchObject([{ id: body.id, event: 'webhook.test', state: 'pending', ended_at: null }])
  })

  test('a provisioning key with the scope billing alone tests it, and reads no delivery of a task', async () => {
    const { token, accountId } = await control.aPerson()
    await settings('PUT', '', token, { webhook_url: 'https://example.com/alerts' })
    const key = { name: 'billing', is_provisioning: true, scopes: ['billing'] }
    const billing = (await control.rest('POST', '/api-keys', { token, body: key })).body.key
    const { status, body } = await settings('POST', '/test', billing)
    expect([status, body]).toMatchObject([201, { event: 'webhook.test', url: 'https://example.com/alerts' }])
    const { data } = (await control.rest('GET', '/billing/alert-deliveries', { token: billing })).body
    expect(data).toMatchObject([{ id: body.id, state: 'pending' }])
    await control.context.sql`
      select queue_delivery(${accountId}::uuid, 'msg_task', 'task.completed', 'https://example.com', null, 'task_1')`
    const query = `{ node(id: "msg_task") { id } callbackDelivery(id: "msg_task") { id } }`
    const read = async (by: string) => (await control.graph(query, { token: by })).data
    expect(await read(token)).toEqual({ node: { id: 'msg_task' }, callbackDelivery: { id: 'msg_task' } })
    expect(await read(billing)).toEqual({ node: null, callbackDelivery: null })
  })
})
