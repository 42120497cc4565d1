import { beforeAll, expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { blocksOf } from '../../test/harness/postgres/blocks-of.ts'
import { countTasks, listTasks, type TaskFilter } from './list-tasks.ts'

let accountId: string
const many = 20_000
const endedAt = Date.UTC(2026, 0, 31)
const apartMs = 60_000
const key = (number: number) => `0190a8c2-0000-7000-8000-${String(number).padStart(12, '0')}`
const timeOf = (number: number) => new Date(endedAt - (many - number) * apartMs)
const idOf = (number: number) => `task_${timeOf(number).getTime().toString(16).padStart(12, '0')}`

// Creates 20,000 tasks, a minute apart: about two have failed, two have another key and two another model.
const system = perFile(aSystem)

beforeAll(async () => {
  accountId = (await anAccount(system.context)).accountId
  const { sql } = system.context
  const numbers = Array.from({ length: many }, (_, index) => index + 1)
  await sql`
  insert into tasks (account_id, id, request_id, api_key_id, kind, model, vendor, parameters, status, price_nanos,
      created_at, ends_at, finished_at)
  select ${accountId}, id, 'req_' || n, case when n in (3, 2600) then ${key(2)}::uuid else ${key(1)}::uuid end,
  case when n % 2 = 0 then 'video' else 'speech' end, case when n in (4, 2700) then 'rare' else 'common' end,
  'vendor_a', '{}', case when n in (1, 2500) then 'failed' else 'success' end, 0, created_at, now(), now()
  from unnest(${numbers}::int[], ${numbers.map(idOf)}::text[], ${numbers.map(number => timeOf(number).toISOString())}::text[]::timestamptz[]) as
  task (n, id, created_at)`
  await sql`vacuum analyze tasks`
})

const list = async (filter: TaskFilter, range: object = {}) =>
  (await listTasks(system.context, { accountId, filter, limit: 3, ...range })).map(({ id }) => id)
const ids = (...numbers: number[]) => numbers.map(idOf)

test('a list is in the order of IDs, between two positions, from either end', async () => {
  expect(await list({})).toEqual(ids(20_000, 19_999, 19_998))
  expect(await list({ kinds: ['video'] })).toEqual(ids(20_000, 19_998, 19_996))
  expect(await list({ statuses: ['success', 'failed'] }, { after: { id: idOf(3) } })).toEqual(ids(2, 1))
  const onwards = { oldestFirst: true, after: { id: idOf(2499) } }
  expect(await list({ kinds: ['video', 'speech'] }, onwards)).toEqual(ids(2500, 2501, 2502))
  expect(await list({}, { after: { id: idOf(9) }, before: { id: idOf(12) } })).toEqual([])
})

test('filters combine, and duplicate values count once', async () => {
  expect(await list({ keyIds: [key(2)] })).toEqual(ids(2600, 3))
  expect(await list({ keyIds: [key(2), key(2)], kinds: ['video', 'video'] })).toEqual(ids(2600))
  expect(await list({ models: ['rare', 'rare'], statuses: ['success'] })).toEqual(ids(2700, 4))
  expect(await list({ keyIds: [key(2)], models: ['rare'] })).toEqual([])
  expect(await list({ since: timeOf(10), until: timeOf(12) })).toEqual(ids(11, 10))
  expect(await list({ kinds: ['video'], until: timeOf(10) })).toEqual(ids(8, 6, 4))
  expect(await list({ kinds: [] })).toEqual([])
  for (const [filter, count] of [
    [{}, 1000],
    [{ keyIds: [key(2)] }, 2],
    [{ models: ['rare'], kinds: ['video'] }, 2],
    [{ statuses: ['failed'], kinds: ['video'] }, 1],
  ] as const)
    expect(await countTasks(system.context, { accountId, filter, max: 1000 })).toBe(count)
})

const filters: [string, TaskFilter][] = [
  ['no filter', {}],
  ['a kind', { kinds: ['video'] }],
  ['a common status', { statuses: ['success'] }],
  ['a rare status', { statuses: ['failed', 'cancelled'] }],
  ['no status that occurs', { kinds: ['speech'], statuses: ['queued'] }],
  ['a common key', { keyIds: [key(1)] }],
  ['a rare key', { keyIds: [key(2)] }],
  ['a common key with a rare status', { keyIds: [key(1)], statuses: ['failed'] }],
  ['a rare model', { models: ['rare'] }],
  ['a common model with a rare status', { models: ['common'], kinds: ['speech'], statuses: ['failed'] }],
  ['an hour', { since: timeOf(9000), until: timeOf(9060) }],
  ['a long time ago', { until: timeOf(100) }],
]

test.each(filters)('a list with %s reads few blocks, anywhere in the list', async (_, filter) => {
  for (const range of [{}, { oldestFirst: true }, { after: { id: idOf(8000) } }])
    expect(
      await blocksOf(system.database, sql => listTasks({ sql }, { accountId, filter, limit: 21, ...range })),
    ).toBeLessThan(250)
})

test('while all tasks have one status, a list of another status reads few blocks', async () => {
  const { database, context, close } = await aSystem()
  try {
    await context.sql`
      insert into tasks (account_id, id, request_id, api_key_id, kind, model, vendor, parameters, status, price_nanos,
        created_at, ends_at)
      select ${accountId}, 'task_' || lpad(to_hex(n), 24, '0'), 'req_' || n, gen_random_uuid(), 'video', 'common', 'vendor_i',
        '{}', 'success', 0, now(), now()
      from generate_series(1, ${many}::int) n`
    await context.sql`analyze tasks`
    const filter: TaskFilter = { kinds: ['video'], statuses: ['failed'] }
    const read = (sql: typeof context.sql) => listTasks({ sql }, { accountId, filter, limit: 21 })
    expect(await blocksOf(database, read, ['force_custom_plan'])).toBeLessThan(200)
  } finally {
    await close()
  }
})
