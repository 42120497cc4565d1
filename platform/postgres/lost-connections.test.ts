import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { entities } from '../../schema/entities/entities.ts'
import { aDatabase } from '../../test/harness/a-database.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { aPostgresProxy } from '../../test/harness/postgres/a-postgres-proxy.ts'
import { openOrm } from './open-orm.ts'
import { openPool } from './open-pool.ts'
import { openPostgres, type Sql } from './open-postgres.ts'

const database = perFile(aDatabase)

function open(name: string): Sql {
  const sql = openPostgres({ url: database.url, name, maxConnections: 5 })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

const cut = (name: string) => database.sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = ${name}`

const asks: Record<string, (sql: Sql, number: number) => Promise<unknown>> = {
  statement: (sql, number) => sql`select ${number}::int as number, pg_sleep(0.002)`,
  transaction: (sql, number) =>
    sql.begin(transaction => transaction`select ${number}::int as number, pg_sleep(0.002)`),
}

test.each(Object.keys(asks))(
  'connections cut again and again: each %s ends, with its own answer',
  async kind => {
    const sql = open(`cut-${kind}`)
    const wrong: unknown[] = []
    let answered = 0
    // Sent again at once: what is sent while a connection breaks is what goes wrong.
    const askAgain = async (number: number, tries = 1): Promise<void> => {
      try {
        const rows = await asks[kind]?.(sql, number)
        if (JSON.stringify(rows) === JSON.stringify([{ number, pg_sleep: '' }])) answered++
        else wrong.push(rows)
      } catch (error) {
        if (tries === 100) throw error
        return askAgain(number, tries + 1)
      }
    }
    const asked: Promise<void>[] = []
    for (let number = 0; number < 400; number++) {
      asked.push(askAgain(number))
      await sleep(2)
      if (number % 80 === 79) await cut(`cut-${kind}`)
    }
    await Promise.all(asked)
    expect(wrong).toEqual([])
    expect(answered).toBe(400)
  },
)

test('a connection that is lost without a word is given up, also in the middle of a transaction', async () => {
  const proxy = await aPostgresProxy(database.url)
  const driver = { connection: { application_name: 'silent' }, fetch_types: false }
  const sql = openPool({ url: proxy.url, driver, maxConnections: 2, silenceMs: 200 })
  onTestFinished(async () => {
    await sql.end({ timeout: 1 })
    await proxy.close()
  })
  await Promise.all([sql`select pg_sleep(0.01)`, sql`select pg_sleep(0.01)`])
  await sleep(300) // in which nothing is awaited
  proxy.swallowAnswersTo('unheard')
  const silent = { code: 'CONNECTION_SILENT' }
  await Promise.all([
    expect(sql`select 'unheard'`).rejects.toMatchObject(silent),
    expect(
      sql.begin(async transaction => {
        await transaction`select 1`
        await transaction`select 'unheard'`
      }),
    ).rejects.toThrow(),
  ])
  expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
})

test('transactions that take every connection let others wait for their turn, and the end reject', async () => {
  const sql = open('taken')
  const holding = Promise.withResolvers<void>()
  const taking = Array.from({ length: 5 }, () => sql.begin(() => holding.promise))
  const waiting = Promise.all([sql`select 1 as one`, sql.begin(transaction => transaction`select 2 as two`)])
  await sleep(20)
  holding.resolve()
  expect(await waiting).toEqual([[{ one: 1 }], [{ two: 2 }]])
  await Promise.all(taking)
  await sql.end()
  await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
  await expect(sql.begin(async () => {})).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
})

beforeAll(async () => {
  await database.sql`create table kept (number integer)`
})

test.each([0, 1, 2])(
  'a transaction whose connection is ended at statement %i is rejected, leaves nothing, and ends no process',
  async ending => {
    const sql = open('test-lost')
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
  const sql = open('test-lost')
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

type Run = (statement: string) => Promise<unknown>

const openers: Record<string, () => Run> = {
  pool() {
    const sql = openPostgres({ url: database.url, name: 'test', maxConnections: 1 })
    onTestFinished(() => sql.end({ timeout: 1 }))
    return statement => sql.unsafe(statement)
  },
  'pool, in a transaction'() {
    const sql = openPostgres({ url: database.url, name: 'test', maxConnections: 1 })
    onTestFinished(() => sql.end({ timeout: 1 }))
    return statement => sql.begin(transaction => transaction.unsafe(statement))
  },
  'pool of MikroORM'() {
    const orm = forThisTest(openOrm({ url: database.url, name: 'test', entities, maxConnections: 1 }))
    return statement => orm.em.getConnection().execute(statement)
  },
}

test.each(Object.keys(openers))(
  'a %s replaces connections to a server that accepts no writes',
  async kind => {
    const run = openers[kind]!()
    await run('set default_transaction_read_only = on')
    const create = 'create table written (id integer)'
    await expect(run(create)).rejects.toThrow(/read-only/)
    await run(create)
    await run('drop table written')
  },
)
