import { expect, onTestFinished, test } from 'vitest'
import { entities } from '../../schema/entities/entities.ts'
import { aDatabase } from '../../test/harness/a-database.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { openOrm } from './open-orm.ts'
import { openPostgres } from './open-postgres.ts'

const database = perFile(aDatabase)

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
