import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { dropDatabase, onEach } from './citus/nodes.ts'

export interface TestDatabase {
  url: string
  sql: Sql
  close(): Promise<void>
}

/** Creates a migrated database from the template (about 50 ms). The caller closes it. */
export async function aDatabase(): Promise<TestDatabase> {
  const template = new URL(inject('postgresUrl'))
  const name = `test_${randomBytes(6).toString('hex')}`
  const isCitus = inject('citusNodes').length > 0
  const servers = isCitus ? inject('citusNodes') : [addressOf(template, 'postgres')]
  await onEach(servers, async admin => {
    await admin.unsafe(`create database ${name} template template_system strategy file_copy`)
    // A copy has no settings of the template.
    if (isCitus) await admin.unsafe(`alter database ${name} set citus.multi_shard_modify_mode = sequential`)
  })
  const url = addressOf(template, name)
  const sql = openPostgres({ url, name: 'test', maxConnections: 4 })
  return {
    url,
    sql,
    async close() {
      await sql.end({ timeout: 1 })
      await onEach(servers, admin => dropDatabase(admin, name))
    },
  }
}

/** The same, closed when the running test ends. */
export async function aDatabaseForThisTest(): Promise<TestDatabase> {
  const database = await aDatabase()
  onTestFinished(() => database.close())
  return database
}

function addressOf(template: URL, database: string): string {
  const url = new URL(template)
  url.pathname = `/${database}`
  return url.toString()
}
