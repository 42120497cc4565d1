import { expect, test } from 'vitest'
import { dayMs, systemClock } from '../../platform/clock.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { KeyBudgetEntity } from '../../schema/entities/keys.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits, anAccount } from '../../test/harness/an-account.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../test/harness/per-file.ts'
import type { ManagementContext } from '../context.ts'
import { revisionName } from '../rates/rate-script.ts'
import { revokeKey, updateKey } from './change-key.ts'
import { createKey } from './create-key.ts'
import { findKey } from './key-records.ts'
import type { KeySettings } from './key-settings.ts'

const statements: string[] = []

const system = perFile(aSystem)
const orm = perFile(() => {
  const onStatement = (statement: string) => void statements.push(statement)
  return openOrm({ url: system.config.databaseUrl, name: 'test', entities, onStatement })
})

const aContext = (): ManagementContext => ({ ...system.context, em: orm.em.fork() })

/** A key that was created forty days ago. */
async function anOldKey(settings: Omit<KeySettings, 'name'> = {}) {
  const { accountId } = await anAccount(system.context)
  const clock = { ...systemClock, now: () => Date.now() - 40 * dayMs }
  const made = { accountId, createdBy: null, settings: { name: 'old', ...settings } }
  const { record } = await createKey({ ...aContext(), clock }, made)
  return { accountId, keyId: record.id, createdAt: record.createdAt }
}

/** Spends that many nano-dollars, that many days ago. */
const spend = (key: { accountId: string; keyId: string }, costNanos: bigint, daysAgo: number) =>
  aSettledRequest(system.context.sql, {
    ...key,
    costNanos,
    createdAt: new Date(Date.now() - daysAgo * dayMs),
  })

test('without an interval everything since the creation counts', async () => {
  const key = await anOldKey({ creditLimitNanos: 1000n })
  await spend(key, 30n, 39)
  await spend(key, 5n, 0)
  const record = await findKey(aContext(), key)
  expect(record).toMatchObject({ creditUsedNanos: 35n, creditPeriodStart: key.createdAt })
})

test('setting an interval counts what was spent since the start of its period, taking it off counts all again', async () => {
  const key = await anOldKey({ creditLimitNanos: 1000n })
  await spend(key, 30n, 35)
  await spend(key, 5n, 0)
  const midnight = new Date(Math.floor(Date.now() / dayMs) * dayMs)

  const daily = await updateKey(aContext(), { ...key, changes: { creditResetInterval: 'daily' } })
  expect(daily).toMatchObject({ creditUsedNanos: 5n, creditPeriodStart: midnight })

  const never = await updateKey(aContext(), { ...key, changes: { creditResetInterval: 'none' } })
  expect(never).toMatchObject({ creditUsedNanos: 35n, creditPeriodStart: key.createdAt })
})

test('weeks begin on Monday and months on the first, UTC; a period never begins before its key', async () => {
  const key = await anOldKey({ creditLimitNanos: 1000n, creditResetInterval: 'weekly' })
  const weekly = await findKey(aContext(), key)
  expect(weekly.creditPeriodStart?.getUTCDay()).toBe(1)
  expect(weekly.creditPeriodStart?.toISOString()).toMatch(/T00:00:00.000Z$/)
  const monthly = await updateKey(aContext(), { ...key, changes: { creditResetInterval: 'monthly' } })
  expect(monthly.creditPeriodStart?.toISOString()).toMatch(/-01T00:00:00.000Z$/)

  const { accountId } = await anAccount(system.context)
  const settings = { name: 'new', creditLimitNanos: 1n, creditResetInterval: 'monthly' as const }
  const { record } = await createKey(aContext(), { accountId, createdBy: null, settings })
  expect(record.creditPeriodStart).toEqual(record.createdAt)
})

test('another limit keeps the period, and so does the same interval set again', async () => {
  const key = await anOldKey({ creditLimitNanos: 1000n })
  await spend(key, 30n, 35)
  const changes = { creditLimitNanos: 50n, creditResetInterval: 'none' as const }
  const record = await updateKey(aContext(), { ...key, changes })
  expect(record).toMatchObject({
    creditLimitNanos: 50n,
    creditUsedNanos: 30n,
    creditPeriodStart: key.createdAt,
  })
})

test('a period that has ended counts nothing, although nothing was spent since', async () => {
  const key = await anOldKey({ creditLimitNanos: 1000n, creditResetInterval: 'daily' })
  await spend(key, 30n, 0)
  await system.context.sql`
    update key_budgets set counted_at = counted_at - interval '3 days' where key_id = ${key.keyId}`
  const record = await findKey(aContext(), key)
  expect(record.creditUsedNanos).toBe(0n)
  expect(record.creditPeriodStart).toEqual(new Date(Math.floor(Date.now() / dayMs) * dayMs))
})

test('an interval that changes while requests settle loses none of their spending, without deadlocks', async () => {
  const key = await anOldKey({ creditLimitNanos: 1_000_000n })
  const intervals = ['daily', 'none', 'weekly', 'none', 'monthly', 'none'] as const
  await Promise.all([
    ...Array.from({ length: 40 }, () => spend(key, 1n, 0)),
    ...intervals.map(creditResetInterval =>
      updateKey(aContext(), { ...key, changes: { creditResetInterval, creditLimitNanos: 9n } }),
    ),
  ])
  expect((await findKey(aContext(), key)).creditUsedNanos).toBe(40n)
})

test('each change raises the revision in Redis before it returns', async () => {
  const key = await anOldKey()
  const { redis, config } = system.context
  const revision = () => redis.get(revisionName(config.redisPrefix, key.accountId, key.keyId))

  await updateKey(aContext(), { ...key, changes: { disabled: true } })
  expect(await revision()).toBe('2')
  await Promise.all(
    [1, 2, 3].map(rateLimitRpm => updateKey(aContext(), { ...key, changes: { rateLimitRpm } })),
  )
  expect(await revision()).toBe('5')
  await revokeKey(aContext(), key)
  expect(await revision()).toBe('6')
})

test('another interval adds up no log and locks no balance; the budget is locked last', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { limitNanos: 100n })
  await aSettledRequest(system.context.sql, { accountId, keyId, costNanos: 7n })
  statements.length = 0
  const changes = { creditResetInterval: 'monthly' as const, creditLimitNanos: 50n }
  const record = await updateKey(aContext(), { accountId, keyId, changes })
  expect(record).toMatchObject({ creditUsedNanos: 7n, creditLimitNanos: 50n, creditResetInterval: 'monthly' })

  const ended = statements.findIndex(statement => statement.includes('commit'))
  const changing = statements.slice(0, ended)
  expect(changing.join('\n')).not.toMatch(/request_logs|balances/)
  expect(changing.at(-1)).toContain('update "key_budgets"')
})

test('a management transaction that idles is ended, and its locks are released', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { limitNanos: 100n })
  // More often than the pool has connections: each is had again.
  const pausing = Array.from({ length: 12 }, (_, turn) =>
    orm.em.fork().transactional(async em => {
      if (turn > 0) return em.execute('select pg_terminate_backend(pg_backend_pid())')
      await em.nativeUpdate(KeyBudgetEntity, { accountId, keyId }, { limitNanos: 1n })
      // This statement waits for the transaction, which Postgres ends as idle.
      return system.context.sql`update key_budgets set limit_nanos = limit_nanos + 1 where key_id = ${keyId}`
    }),
  )
  for (const outcome of await Promise.allSettled(pausing)) expect(outcome.status).toBe('rejected')
  const [budget] = await system.context.sql`select limit_nanos from key_budgets where key_id = ${keyId}`
  expect(budget?.limit_nanos).toBe(101n)
  expect(await orm.em.fork().count(KeyBudgetEntity, { keyId })).toBe(1)
})
