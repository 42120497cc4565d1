import { beforeAll, expect, test } from 'vitest'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

const statements: string[] = []

const { control, person } = theControlPlane({}, { onStatement: statement => statements.push(statement) })
const other = perFile(() => control.aPerson())

beforeAll(async () => {
  const { sql } = control.database // without a time limit for statements
  await sql`
  insert into transactions (account_id, id, source, credits_nanos, payment_method, status)
  select ${person.accountId}, 'txn_' || lpad(n::text, 9, '0'), 'req_' || n, -1, 'usage', 'completed'
  from generate_series(1, 100500) n`
  await sql`vacuum analyze transactions`
})

const page = (query: string, { token } = person) =>
  control.rest('GET', `/billing/transactions?${query}`, { token })

test('numbered pages and totals reach the first 100,000 items', async () => {
  const last = await page('page=1000&per_page=100')
  expect([last.status, last.body.total, last.body.data.length]).toEqual([200, 100_000, 100])
  expect(last.body.data.at(-1).id).toBe('txn_000000501')
  statements.length = 0
  for (const query of ['page=1001&per_page=100', 'page=100001&per_page=1', 'page=1000000', 'page=0']) {
    const { status, body } = await page(query)
    expect([status, body.error.code, body.error.param], query).toEqual([422, 'validation_failed', 'page'])
  }
  expect(statements.filter(statement => statement.includes('transactions'))).toEqual([])
  const { data } = await control.graph('{ transactions(first: 1) { totalCount } }', { token: person.token })
  expect(data.transactions.totalCount).toBe(100_000)
})

test("an account's queries wait only for each other; a query that waits too long is refused", async () => {
  const { sql } = control.context
  const holder = await sql.reserve()
  await holder`begin`
  await holder`lock table transactions in access exclusive mode`
  const asked = Array.from({ length: 80 }, () => page('page=1'))
  const balance = await control.rest('GET', '/billing/balance', { token: person.token })
  const logs = await control.rest('GET', '/logs/requests', { token: other.token })
  expect([balance.status, logs.status]).toEqual([200, 200])

  const slow = await control.graph('{ transactions { nodes { id } } }', { token: other.token })
  expect(slow.errors?.[0]).toMatchObject({
    message: expect.stringContaining('Ask for less'),
    extensions: { problem: 'overloaded', retryAfterSeconds: 1 },
  })
  await holder`rollback`
  holder.release()

  const answers = await Promise.all(asked)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { body, headers } of refused)
    expect([body.error.code, headers.get('retry-after')]).toEqual(['allowance_exceeded', '1'])
  expect(answers.filter(({ status }) => ![200, 429, 503].includes(status))).toEqual([])
  expect((await page('page=1')).status).toBe(200)
})
