import { expect, test } from 'vitest'
import { dayMs, systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { forgetUsage } from './forget-usage.ts'

const inDays = (days: number) => new Date(Date.now() + days * dayMs)

test('usage is kept as long as its requests, by both clocks', async () => {
  const { sql } = await aDatabaseForThisTest()
  const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
  for (const days of [-64, -58, 0])
    await aSettledRequest(sql, { accountId, keyId, createdAt: inDays(days), columns: { end_user: 'ada' } })
  const clockIn = (aheadDays: number) => ({ ...systemClock, now: () => inDays(aheadDays).getTime() })

  expect(await forgetUsage({ sql, clock: clockIn(-75) })).toBe(0)
  expect(await forgetUsage({ sql, clock: clockIn(75) })).toBe(4) // two counters, a name, and the number of names
  const days = await sql`select distinct day::text from usage_counters order by day`
  expect(days.map(({ day }) => day)).toEqual([-58, 0].map(at => inDays(at).toISOString().slice(0, 10)))
})

test('retention and repairs use an index', async () => {
  const { sql } = await aDatabaseForThisTest()
  const planOf = (query: string) =>
    sql.begin(async transaction => {
      await transaction`set local enable_seqscan = off` // the tables are empty
      return JSON.stringify(await transaction.unsafe(`explain ${query}`))
    })
  for (const query of [
    'select from usage_totals where day < now()::date',
    'select from usage_by_end_user where day < now()::date',
    'select from usage_by_metadata where day < now()::date',
    'select from usage_by_end_user_and_metadata where day < now()::date',
    'select from usage_latencies where day < now()::date',
    'select from usage_values where day < now()::date',
    'select from usage_labels where day < now()::date',
    'select from refresh_tokens where expires_at < now()',
    'select from callback_secrets where ends_at < now()',
    "select from deliveries where state = 'pending' and due_at < now()",
    'select distinct sender from deliveries where is_sending and sender is not null',
    'select distinct worker from tasks where worker is not null',
    'select from idempotency_keys where started_at < now()',
    'select from audit_log where created_at < now()',
    'select from payment_events where received_at < now()',
    'select from tasks where finished_at < now()',
  ])
    expect(await planOf(query), query).toMatch(/Index/)
})
