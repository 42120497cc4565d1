import { expect, test } from 'vitest'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { migrate } from './migrate.ts'

const folder = new URL('../../schema/migrations', import.meta.url).pathname

test('what was applied is not applied again, also when several processes start at once', async () => {
  const { sql } = await aDatabaseForThisTest()
  const [first, second] = await Promise.all([migrate(sql, folder), migrate(sql, folder)])
  expect([...first, ...second]).toEqual([])
  const [count] = await sql<{ names: number }[]>`select count(*)::int as names from migrations`
  expect(count?.names).toBeGreaterThan(4)
})
