import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import { aConfig } from '../../test/harness/a-context.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { forgetActions } from './forget-actions.ts'
import { beginAction } from './record-action.ts'

test('actions are kept for two years, or as long as is set, to the day', async () => {
  const { sql, url } = await aDatabaseForThisTest()
  const context = { sql, clock: systemClock }
  const accountId = systemIds.uuid()
  const actor = { kind: 'session', id: null } as const
  for (const name of ['of today', 'of two years less a day', 'of two years and a day'])
    await beginAction({ sql, ids: systemIds }, { accountId, name, actor })
  const age = (days: number, name: string) =>
    sql`update audit_log set created_at = now() - make_interval(days => ${days}) where action = ${name}`
  await age(729, 'of two years less a day')
  await age(731, 'of two years and a day')
  const left = async () =>
    (await sql`select action from audit_log order by created_at desc`).map(row => row.action)

  expect(await forgetActions({ ...context, config: aConfig({ DATABASE_URL: url }) })).toBe(1)
  expect(await left()).toEqual(['of today', 'of two years less a day'])
  expect(
    await forgetActions({ ...context, config: aConfig({ DATABASE_URL: url, AUDIT_LOG_DAYS: '90' }) }),
  ).toBe(1)
  expect(await left()).toEqual(['of today'])
})
