import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Orm, openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { KeyBudgetEntity } from '../../schema/entities/keys.ts'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import { aSettledRequest } from '../../test/harness/a-settled-request.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { updateKey } from './change-key.ts'

let system: TestSystem
let orm: Orm
const statements: string[] = []

beforeAll(async () => {
  system = await aSystem()
  const onStatement = (statement: string) => void statements.push(statement)
  orm = openOrm({ url: system.config.databaseUrl, name: 'test', entities, onStatement })
})
afterAll(async () => {
  await orm.close()
  await system.close()
})

test('another interval adds up no log and locks no balance; the budget is locked last', async () => {
  const { accountId } = await anAccount(system.context)
  const { keyId } = await anApiKey(system.context, { accountId, limitNanos: 100n })
  await aSettledRequest(system.context.sql, { accountId, keyId, costNanos: 7n })
  statements.length = 0
  const changes = { creditResetInterval: 'monthly' as const, creditLimitNanos: 50n }
  const record = await updateKey({ ...system.context, em: orm.em.fork() }, { accountId, keyId, changes })
  expect(record).toMatchObject({ creditUsedNanos: 7n, creditLimitNanos: 50n, creditResetInterval: 'monthly' })

  const ended = statements.findIndex(statement => statement.includes('commit'))
  const changing = statements.slice(0, ended)
  expect(changing.join('\n')).not.toMatch(/request_logs|balances/)
  expect(changing.at(-1)).toContain('update "key_budgets"')
})

test('a management transaction that stands still is ended, and what it has locked is free', async () => {
  const { accountId } = await anAccount(system.context)
  const { keyId } = await anApiKey(system.context, { accountId, limitNanos: 100n })
  const begun = performance.now()
  // More often than the pool has connections: each is had again.
  const pausing = Array.from({ length: 12 }, (_, turn) =>
    orm.em.fork().transactional(async em => {
      if (turn > 0) return em.execute('select pg_terminate_backend(pg_backend_pid())')
      await em.nativeUpdate(KeyBudgetEntity, { accountId, keyId }, { limitNanos: 1n })
      // Another waits until it is ended: this process stands still meanwhile, as far as Postgres can tell.
      return system.context.sql`update key_budgets set limit_nanos = limit_nanos + 1 where key_id = ${keyId}`
    }),
  )
  for (const outcome of await Promise.allSettled(pausing)) expect(outcome.status).toBe('rejected')
  expect(performance.now() - begun).toBeLessThan(6_000)
  const [budget] = await system.context.sql`select limit_nanos from key_budgets where key_id = ${keyId}`
  expect(budget?.limit_nanos).toBe(101n)
  expect(await orm.em.fork().count(KeyBudgetEntity, { keyId })).toBe(1)
})
