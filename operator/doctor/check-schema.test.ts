import { expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { aLogDatabase } from '../../test/harness/postgres/a-log-database.ts'
import { checkLogDatabase } from './check-schema.ts'

test('the doctor finds a log database that is unset, wrong, unavailable or behind', async () => {
  const { context, config } = forThisTest(await aSystem())
  const { sql } = context
  const none = await checkLogDatabase(sql, config)
  expect(none).toEqual({ skipped: 'LOG_DATABASE_URL is none' })

  const { sql: logs, url } = forThisTest(await aLogDatabase(sql))
  await expect(checkLogDatabase(sql, config)).rejects.toThrow(/LOG_DATABASE_URL is not set/)
  const set = { ...config, logDatabaseUrl: url }
  await aSettledRequest(sql, await aKeyWithCredits(context))
  expect(await checkLogDatabase(sql, set)).toEqual({ findings: [], summary: '1 note of requests to carry' })
  await sql`update changed_requests set noted_at = now() - interval '9 minutes'`
  await logs`delete from log_database`
  expect(await checkLogDatabase(sql, set)).toMatchObject({
    findings: [
      { fault: 'LOG_DATABASE_URL leads to a database to which the log was not copied' },
      { fault: 'requests wait for up to 9 minutes to be carried to the log database' },
    ],
  })
  const gone = { ...set, logDatabaseUrl: 'postgres://postgres@127.0.0.1:1/logs' }
  await expect(checkLogDatabase(sql, gone)).rejects.toThrow(/^LOG_DATABASE_URL: /)
})
