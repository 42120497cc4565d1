import { describe, expect, inject, test } from 'vitest'
import { forThisTest } from '../../test/harness/per-file.ts'
import { aPooler } from '../../test/harness/postgres/a-pooler.ts'
import { findPgBouncer } from '../../test/harness/postgres/start-pgbouncer.ts'
import { type Database, openPostgres } from './open-postgres.ts'
import { requireLimits } from './role-limits.ts'

const pgBouncer = findPgBouncer('The check of limits through PgBouncer')
const name = 'test'

test('a direct connection brings its limits', async () => {
  await expect(requireLimits({ url: inject('postgresUrl'), name })).resolves.toBeUndefined()
})

test('through a pooler, a role without limits is refused with the statements that set them', async () => {
  await expect(requireLimits({ url: inject('postgresUrl'), name, isPooled: true })).rejects.toThrow(
    'DATABASE_URL: the limits of role postgres are missing or too high: ' +
      "alter role postgres set statement_timeout = '30s'; alter role postgres set lock_timeout = '2s'; " +
      "alter role postgres set idle_in_transaction_session_timeout = '2s'; then reconnect the pooler",
  )
})

test('through a pooler, a statement of a list has its own limit and a plan for its values', async () => {
  const url = inject('postgresUrl')
  const options = { url, name, isPooled: true, maxConnections: 1 }
  const sql = openPostgres({ ...options, statementTimeoutMs: 1_000, plansForValues: true })
  const settings = await sql`
    select current_setting('statement_timeout') as timeout, current_setting('plan_cache_mode') as plans`
  expect([...settings]).toEqual([{ timeout: '1s', plans: 'force_custom_plan' }])
  await expect(sql`select pg_sleep(5)`).rejects.toMatchObject({ code: '57014' })
  const [row] = await sql.begin(transaction => transaction`select current_setting('statement_timeout') as t`)
  expect(row).toEqual({ t: '1s' })
  await sql.end()
  await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
})

describe.skipIf(!pgBouncer)('through PgBouncer', () => {
  const checked = async (lines: readonly string[], more: { limits?: Record<string, string> } = {}) => {
    const pooler = forThisTest(await aPooler(pgBouncer!, { lines, ...more }))
    const database: Database = { url: pooler.urlOf(inject('postgresUrl')), name, isPooled: true }
    return { pooler, database }
  }

  test.skipIf(!pgBouncer?.keepsStatements)('limits and prepared statements pass', async () => {
    const { database } = await checked([])
    await expect(requireLimits(database)).resolves.toBeUndefined()
  })

  test.skipIf(!pgBouncer?.keepsStatements)('a pool of one server connection passes', async () => {
    const { database } = await checked(['default_pool_size = 1'])
    await expect(requireLimits(database)).resolves.toBeUndefined()
  })

  test('a pooler that loses prepared statements is refused', async () => {
    const { database } = await checked(pgBouncer?.keepsStatements ? ['max_prepared_statements = 0'] : [])
    await expect(requireLimits(database)).rejects.toThrow(
      'DATABASE_URL: the pooler loses prepared statements: use PgBouncer 1.21 or newer with max_prepared_statements above 0',
    )
  })

  test('a limit that is too high is refused', async () => {
    const { pooler, database } = await checked([], {
      limits: { statement_timeout: '31s', lock_timeout: '2s', idle_in_transaction_session_timeout: '1s' },
    })
    await expect(requireLimits(database)).rejects.toThrow(
      `high: alter role ${pooler.role} set statement_timeout = '30s'; then`,
    )
  })

  test('without DATABASE_DIRECT_URL, a pooler is refused, also if it drops the start-up parameters', async () => {
    const { database } = await checked([])
    await expect(requireLimits({ ...database, isPooled: false })).rejects.toThrow(
      /^DATABASE_URL: unsupported startup parameter: \w+: this is a pooler, which needs DATABASE_DIRECT_URL/,
    )
    const names = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count']
    const limits = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout']
    const dropping = await checked([`ignore_startup_parameters = ${[...names, ...limits].join(',')}`], {
      limits: {},
    })
    await expect(requireLimits({ ...dropping.database, isPooled: false })).rejects.toThrow(
      'DATABASE_URL: a pooler drops the start-up parameters: set DATABASE_DIRECT_URL (docs/pooler.md)',
    )
  })
})
