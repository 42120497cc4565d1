import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { differencesOf } from '../../domain/ledger/reconcile.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aSystem } from '../harness/a-context.ts'
import { forThisTest } from '../harness/per-file.ts'
import { aFullAccount } from './a-full-account.ts'

const page = new URL('../../docs/scaling.md', import.meta.url)

/** Tables of a member of the account, by the column with the member's ID. */
const ofMembers = { users: 'id', identities: 'user_id', second_factors: 'user_id', recovery_codes: 'user_id' }

interface Copied {
  name: string
  rows: string
}

/** Reads the rows of an account as docs/scaling.md describes it. */
async function readAccount(sql: Sql, accountId: string): Promise<Copied[]> {
  const [, query = ''] =
    /```sql\n(\s*select c\.relname as name[\s\S]*?)```/.exec(await readFile(page, 'utf8')) ?? []
  const tables = await sql.unsafe<{ name: string }[]>(query)
  expect(tables.length).toBeGreaterThan(25)
  const sources = [
    { name: 'accounts', condition: 'id = $1' },
    ...Object.entries(ofMembers).map(([name, column]) => ({
      name,
      condition: `${column} in (select user_id from memberships where account_id = $1)`,
    })),
    ...tables.map(({ name }) => ({ name, condition: 'account_id = $1' })),
  ]
  const copied: Copied[] = []
  for (const { name, condition } of sources) {
    const [row] = await sql.unsafe<{ rows: string | null }[]>(
      `select json_agg(r order by r::text)::text as rows from ${name} r where ${condition}`,
      [accountId],
    )
    if (row?.rows) copied.push({ name, rows: row.rows })
  }
  return copied
}

test('the rows of an account continue in another cell with the same books', async () => {
  const [from, to] = [forThisTest(await aSystem()), forThisTest(await aSystem())]
  const { accountId } = await aFullAccount(from.context, 'moved')
  await aFullAccount(to.context, 'resident')
  const old = from.context.sql
  expect(await differencesOf({ sql: old }, [accountId])).toEqual([])

  const copied = await readAccount(old, accountId)
  await to.context.sql.begin(async transaction => {
    await transaction`set local session_replication_role = replica`
    for (const { name, rows } of copied)
      await transaction.unsafe(
        `insert into ${name} select * from json_populate_recordset(null::${name}, $1::text::json)`,
        [rows],
      )
  })

  expect(await differencesOf({ sql: to.context.sql }, [accountId])).toEqual([])
  expect(await readAccount(to.context.sql, accountId)).toEqual(copied)
  for (const name of ['api_keys', 'transactions', 'request_logs', 'usage_counters', 'balances'])
    expect(copied.map(table => table.name)).toContain(name)
})
