import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { listTasks, type TaskFilter } from './read-task.ts'

let system: TestSystem
let accountId: string
const many = 5_000
const rare = new Set(['task_000001', 'task_002500'])

beforeAll(async () => {
  system = await aSystem()
  accountId = (await anAccount(system.context)).accountId
  await system.context.sql`
    insert into tasks (account_id, id, request_id, api_key_id, kind, model, vendor, parameters, status, price_nanos,
      created_at, ends_at, finished_at)
    select ${accountId}, id, 'req_' || n, gen_random_uuid(), case when n % 2 = 0 then 'video' else 'speech' end, 'm',
      'vendor_a', '{}', case when id = any(${[...rare]}) then 'failed' else 'success' end, 0, now(), now(), now()
    from generate_series(1, ${many}) n, lateral (select 'task_' || lpad(n::text, 6, '0') as id) named`
  await system.context.sql`analyze tasks`
})
afterAll(() => system.close())

test('a list by kind or status is in the order of ids, between two positions, from either end', async () => {
  const ids = async (filter: TaskFilter, range: object) =>
    (await listTasks(system.context, { accountId, filter, limit: 3, ...range })).map(({ id }) => id)
  expect(await ids({ kinds: ['video'] }, {})).toEqual(['task_005000', 'task_004998', 'task_004996'])
  expect(await ids({ statuses: ['success', 'failed'] }, { after: { id: 'task_000003' } })).toEqual([
    'task_000002',
    'task_000001',
  ])
  expect(
    await ids({ kinds: ['video', 'speech'] }, { oldestFirst: true, after: { id: 'task_002499' } }),
  ).toEqual(['task_002500', 'task_002501', 'task_002502'])
})

test('a list of the few tasks that match does not read the others', async () => {
  const sql = await system.context.sql.reserve()
  try {
    await sql`begin`
    const found = await listTasks(
      { sql },
      { accountId, filter: { statuses: ['failed', 'cancelled'] }, limit: 21 },
    )
    expect(new Set(found.map(({ id }) => id))).toEqual(rare)
    const [read] = await sql<{ rows: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::float8 as rows from pg_stat_xact_user_tables where relname = 'tasks'`
    expect(read?.rows).toBeLessThan(100)
  } finally {
    await sql`rollback`
    sql.release()
  }
})
