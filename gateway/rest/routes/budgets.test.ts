import { describe, expect, test } from 'vitest'
import { theControlPlane } from '../../../test/harness/a-control-plane.ts'

const { control, person } = theControlPlane()

const budgets = (method: string, path = '', body?: unknown, token: string | undefined = person.token) =>
  control.rest(method, `/budgets${path}`, { body, token })

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/)
const unknownId = '00000000-0000-4000-8000-000000000000'

test('a budget is created, listed, changed and deleted, and each action is in the audit log', async () => {
  const { token } = await control.aPerson()
  const tag = { key: 'team', value: 'search' }
  const created = await budgets('POST', '', { tag, limit: 12.5, reset_interval: 'monthly' }, token)
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    kind: 'tag',
    member_id: null,
    api_key_id: null,
    tag,
    end_user: null,
    limit: 12.5,
    action: 'refuse',
    reset_interval: 'monthly',
    spent: 0,
    held: 0,
    period_start: moment,
    created_at: moment,
  })
  const ofUser = (await budgets('POST', '', { end_user: 'ada', limit: 1 }, token)).body
  expect(ofUser).toMatchObject({ kind: 'end_user', tag: null, end_user: 'ada', reset_interval: 'none' })
  const list = await budgets('GET', '', undefined, token)
  expect(list.body).toEqual({ data: [ofUser, created.body], total: 2, page: 1, per_page: 20 })

  const path = `/${created.body.id}`
  expect((await budgets('PUT', path, { limit: 20 }, token)).body).toEqual({ ...created.body, limit: 20 })
  const daily = await budgets('PUT', path, { limit: null, action: 'warn', reset_interval: 'daily' }, token)
  expect(daily.body).toMatchObject({ limit: 20, action: 'warn', reset_interval: 'daily' })
  expect((await budgets('DELETE', path, undefined, token)).status).toBe(204)
  expect((await budgets('GET', '', undefined, token)).body.data).toEqual([ofUser])
  const again = await budgets('DELETE', path, undefined, token)
  expect([again.status, again.body.error.code]).toEqual([404, 'budget_not_found'])

  const { data } = await control.graph(
    `query ($id: ID!) {
      budget(id: $id) { endUser tag { key } limit spent }
      node(id: $id) { ... on Budget { resetInterval } }
      auditEntries(first: 10) { nodes { action } }
    }`,
    { token, variables: { id: ofUser.id } },
  )
  expect(data).toMatchObject({
    budget: { endUser: 'ada', tag: null, limit: '1', spent: '0' },
    node: { resetInterval: 'NONE' },
  })
  const actions = data.auditEntries.nodes.map(({ action }: { action: string }) => action)
  expect(actions.slice(0, 5)).toEqual([
    'deleteBudget',
    'updateBudget',
    'updateBudget',
    'createBudget',
    'createBudget',
  ])
})

describe('POST /api/v1/budgets', () => {
  test.each<[string, object]>([
    ['tag', { limit: 1 }],
    ['tag', { limit: 1, tag: { key: 'team', value: 'red' }, end_user: 'ada' }],
    ['tag.key', { limit: 1, tag: { key: '', value: 'red' } }],
    ['tag.key', { limit: 1, tag: { key: 'k'.repeat(65), value: 'red' } }],
    ['tag.value', { limit: 1, tag: { key: 'team', value: 'v'.repeat(513) } }],
    ['end_user', { limit: 1, end_user: '' }],
    ['tag', { limit: 1, account: true, end_user: 'ada' }],
    ['tag', { limit: 1, account: false }],
    ['member_id', { limit: 1, member_id: unknownId }],
    ['member_id', { limit: 1, member_id: 'ada' }],
    ['api_key_id', { limit: 1, api_key_id: unknownId }],
    ['action', { limit: 1, account: true, action: 'block' }],
    ['limit', { limit: -1, end_user: 'ada' }],
    ['limit', { limit: 1_000_000_001, end_user: 'ada' }],
    ['limit', { end_user: 'ada' }],
    ['reset_interval', { limit: 1, end_user: 'ada', reset_interval: 'yearly' }],
  ])('returns 422 that names %s for %j', async (param, body) => {
    const refused = await budgets('POST', '', body)
    expect([refused.status, refused.body.error.param]).toEqual([422, param])
  })

  test('returns 409 for a second budget of a subject', async () => {
    const { token } = person
    const key = await control.rest('POST', '/api-keys', { body: { name: 'build' }, token })
    const viewer = await control.graph('{ viewer { user { id } } }', { token })
    for (const [subject, name] of [
      [{ account: true }, 'The account'],
      [{ member_id: viewer.data.viewer.user.id }, 'This member'],
      [{ api_key_id: key.body.id }, 'This API key'],
      [{ tag: { key: 'team', value: 'red' } }, 'This tag'],
      [{ end_user: 'red' }, 'This end user'],
    ] as const) {
      const first = await budgets('POST', '', { ...subject, limit: 1 })
      expect([first.status, first.body]).toEqual([
        201,
        expect.objectContaining('account' in subject ? { kind: 'account' } : subject),
      ])
      const second = await budgets('POST', '', { ...subject, limit: 2 })
      expect([second.status, second.body.error.code]).toEqual([409, 'conflict'])
      expect(second.body.msg).toBe(`${name} already has a budget.`)
    }
  })

  test('returns 422 beyond the allowance, also with concurrent requests', async () => {
    const { token } = await control.aPerson()
    const creates = Array.from({ length: 25 }, (_, turn) =>
      budgets('POST', '', { end_user: `user ${turn}`, limit: 1 }, token),
    )
    const statuses = (await Promise.all(creates)).map(({ status }) => status)
    expect(Object.groupBy(statuses, String)).toEqual({ 201: Array(20).fill(201), 422: Array(5).fill(422) })
  })
})

test('PUT and DELETE return 404 for unknown IDs and for the budget of another account', async () => {
  const other = await control.aPerson()
  const { body } = await budgets('POST', '', { end_user: 'ada', limit: 1 }, other.token)
  for (const id of [unknownId, 'x', body.id]) {
    expect((await budgets('PUT', `/${id}`, { limit: 2 })).status).toBe(404)
    expect((await budgets('DELETE', `/${id}`)).status).toBe(404)
  }
  expect((await budgets('GET', '', undefined, other.token)).body.data).toEqual([body])
})
