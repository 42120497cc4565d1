import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/a-settled-request.ts'
import { forgetUsage } from './forget-usage.ts'

test('usage is kept as long as the requests that it was counted from, to the day', async () => {
  const { sql } = await aDatabaseForThisTest()
  const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
  for (const day of ['2031-02-27', '2031-02-28', '2031-04-30']) {
    const createdAt = new Date(`${day}T12:00:00Z`)
    await aSettledRequest(sql, { accountId, keyId, createdAt, columns: { end_user: 'ada' } })
  }
  const clock = { ...systemClock, now: () => Date.parse('2031-04-30T23:00:00Z') }

  expect(await forgetUsage({ sql, clock })).toBe(4) // two counters, a name, and how many names there were
  const days = await sql`select distinct to_char(day, 'MM-DD') as day from usage_counters order by day`
  expect(days.map(({ day }) => day)).toEqual(['02-28', '04-30'])
  expect(await forgetUsage({ sql, clock })).toBe(0)
})
