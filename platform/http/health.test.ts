import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { systemIds } from '../ids.ts'
import { openPostgres, type Sql } from '../postgres/open-postgres.ts'
import { answerHealth } from './health.ts'
import { listen } from './listen.ts'
import { openServer } from './open-server.ts'

const redisHealth = { state: 'unavailable', failures: 3 } as const
const redis = { redis: 'unavailable', redis_failures: 3 }

test('a process that can work is ready; one that drains is not, but lives; each answer has its id', async () => {
  const { sql } = await aDatabaseForThisTest()
  let draining = false
  const ask = await aProcess(sql, () => draining)
  expect(await ask('/readyz')).toEqual({ status: 200, body: { status: 'ok', ...redis } })
  draining = true
  expect(await ask('/readyz')).toEqual({
    status: 503,
    body: { status: 'unavailable', reason: 'draining', ...redis },
  })
  expect(await ask('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
})

test('a Postgres that accepts connections but does not answer makes the process not ready', async () => {
  const silent = createTcpServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : 0
  const sql = openPostgres({ url: `postgres://postgres@127.0.0.1:${port}/none`, name: 'test' })
  onTestFinished(async () => {
    await sql.end({ timeout: 0 })
    silent.close()
  })
  const ask = await aProcess(sql, () => false)
  expect(await ask('/readyz')).toMatchObject({ status: 503, body: { reason: 'postgres' } })
})

/** A process that serves nothing but its health; answers how to ask it. */
async function aProcess(sql: Sql, isDraining: () => boolean) {
  const app = new Koa().use(answerHealth({ sql, ids: systemIds, redisHealth }, isDraining))
  const { url, drain } = await listen(openServer(app.callback()), { host: '127.0.0.1', port: 0 })
  onTestFinished(() => drain(0))
  return async (path: string) => {
    const answer = await fetch(url + path)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    return { status: answer.status, body: await answer.json() }
  }
}
