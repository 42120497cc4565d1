import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { aDatabase } from '../../test/harness/a-database.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openPostgres } from './open-postgres.ts'

const database = perFile(aDatabase)

beforeAll(async () => {
  await database.sql`create table kept (number integer)`
})

function open() {
  const sql = openPostgres({ url: database.url, name: 'test-lost', maxConnections: 2 })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

test.each([0, 1, 2])(
  'a transaction whose connection is ended at statement %i is rejected, leaves nothing, and ends no process',
  async ending => {
    const sql = open()
    const uncaught: unknown[] = []
    const note = (error: unknown) => void uncaught.push(error)
    process.on('uncaughtException', note)
    onTestFinished(() => void process.off('uncaughtException', note))
    const transaction = sql.begin(async tx => {
      for (let statement = 0; statement < 3; statement++) {
        if (statement === ending) await tx`select pg_terminate_backend(pg_backend_pid())`
        await tx`insert into kept values (${statement})`
      }
    })
    await expect(transaction).rejects.toThrow()
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(uncaught).toEqual([])
    await sql`select 1`.catch(() => {}) // the driver rejects the next statement too
    expect([...(await sql`select count(*)::int as count from kept`)]).toEqual([{ count: 0 }])
  },
)

test('a transaction that throws is rolled back, and one that does not is committed, with its result', async () => {
  const sql = open()
  const broken = sql.begin(async transaction => {
    await transaction`insert into kept values (1)`
    throw new Error('no')
  })
  await expect(broken).rejects.toThrow('no')
  const wrong = sql.begin(transaction => transaction`select 1 / 0`)
  await expect(wrong).rejects.toThrow('division by zero')
  const done = await sql.begin(async transaction => {
    await transaction`insert into kept values (7)`
    return 'done'
  })
  expect(done).toBe('done')
  expect([...(await sql`select number from kept`)]).toEqual([{ number: 7 }])
  await sql`delete from kept`
})
