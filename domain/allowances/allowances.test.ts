import { expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { changeAllowance } from '../accounts/set-allowance.ts'
import { closeContext, openContext } from '../context.ts'
import { changeCredits } from '../ledger/change-credits.ts'
import { allowanceOf, openAllowances, type Standing } from './allowances.ts'
import { Occupancy } from './occupancy.ts'
import { Pace } from './pace.ts'
import { spend, trySpend, usedUp } from './spend.ts'
import { standingOf } from './standing.ts'

const system = perFile(() => aSystem({ ALLOWANCES: 'requests=3/5,requests_in_flight=2/6' }))

const free: Standing = { accountId: 'free', isPaying: false, ownAllowances: new Map() }
const paying: Standing = { accountId: 'paying', isPaying: true, ownAllowances: new Map() }

test('an account is paying while its payments exceed its refunds', async () => {
  const { context } = system
  const { accountId } = await anAccount(context, { creditNanos: 0n })
  const tier = async () => {
    context.allowances.standings.clear()
    return (await standingOf(context.allowances, accountId)).isPaying
  }
  const change = (source: string, amountNanos: bigint, paymentMethod: string) =>
    changeCredits(context, { accountId, source, amountNanos, paymentMethod })
  expect(await tier()).toBe(false)
  await change('payment', 5n, 'stripe')
  expect(await tier()).toBe(true)
  await change('refund', -5n, 'payment_refund')
  expect(await tier()).toBe(false)
})

test('an operator sets and removes the limit of one account', async () => {
  const { context } = system
  const { accountId } = await anAccount(context)
  const limit = async () => {
    context.allowances.standings.clear()
    return allowanceOf(context.allowances, await standingOf(context.allowances, accountId), 'requests')
  }
  expect(await limit()).toBe(5)
  await changeAllowance(context, { accountId, resource: 'requests', limit: 40 })
  expect(await limit()).toBe(40)
  await changeAllowance(context, { accountId, resource: 'requests', limit: null })
  expect(await limit()).toBe(5)
  await expect(changeAllowance(context, { accountId: 'x', resource: 'requests', limit: 1 })).rejects.toThrow(
    'There is no account x.',
  )
})

test('processes together spend exactly the allowance; the error names resource, limit and time', async () => {
  const other = openContext(system.config, { name: 'other' })
  await expect
    .poll(() => Promise.all([system.context.redis.ping(), other.redis.ping()]).catch(() => []))
    .toHaveLength(2)
  const processes = [system.context.allowances, other.allowances]
  const tries = Array.from({ length: 20 }, (_, at) =>
    trySpend(processes[at % 2]!, paying, { resource: 'requests' }),
  )
  const outcomes = await Promise.all(tries)
  await closeContext(other)
  expect(outcomes.filter(isCounted => isCounted)).toHaveLength(5)
  const refusal = usedUp(system.context.allowances, paying, 'requests')
  expect(refusal).toMatchObject({ errorName: 'allowance_exceeded', details: { param: 'requests' } })
  expect(refusal.message).toContain('5 requests in 10 seconds')
  expect(refusal.details.retryAfterSeconds).toBeGreaterThan(5)
  expect(refusal.details.retryAfterSeconds).toBeLessThanOrEqual(10)
})

test('while Redis is unavailable a process counts for itself', async () => {
  const alone = openContext({ ...system.config, redisUrl: 'none' }, { name: 'alone' })
  const count = () => spend(alone.allowances, free, { resource: 'requests' })
  await Promise.all([count(), count(), count()])
  await expect(count()).rejects.toMatchObject({ errorName: 'allowance_exceeded' })
  await closeContext(alone)
})

test('accounts that never paid together occupy a quarter; a paying account at most what is free', () => {
  const { allowances } = system.context
  const places = new Occupancy(allowances, { resource: 'requests_in_flight', capacity: 8 })
  places.occupy(free, 1)
  places.occupy({ ...free, accountId: 'second' }, 1)
  expect(() => places.occupy({ ...free, accountId: 'third' }, 1)).toThrow('allowance of requests_in_flight')
  for (let taken = 0; taken < 3; taken++) places.occupy(paying, 1)
  expect(() => places.occupy(paying, 1)).toThrow('allowance of requests_in_flight')
  places.occupy({ ...paying, accountId: 'other' }, 1)
  places.release(paying, 1)
  expect(places.of('paying')).toBe(2)
})

test('what is counted and never refused fills the share of accounts that never paid, and no place of paying ones', () => {
  const { allowances } = system.context
  const memory = new Occupancy(allowances, { resource: 'requests_in_flight', capacity: 8 })
  memory.add(free, 2)
  memory.add({ ...free, accountId: 'second' }, 30)
  const third = { ...free, accountId: 'third' }
  expect(() => memory.occupy(third, 1)).toThrow('allowance of requests_in_flight')
  memory.occupy(paying, 4)
  memory.remove({ ...free, accountId: 'second' }, 30)
  memory.remove(free, 2)
  memory.occupy(third, 1)
})

test('the first request of an account may exceed its allowance, a second may not', () => {
  const { allowances } = system.context
  const memory = new Occupancy(allowances, {
    resource: 'requests_in_flight',
    capacity: 100,
    isFirstFree: true,
  })
  memory.occupy(free, 10)
  memory.occupy(free, 5, 10)
  expect(() => memory.occupy(free, 1)).toThrow('allowance of requests_in_flight')
})

test('ALLOWANCES with an unknown resource is refused', () => {
  const { config, sql, redis } = { ...system.context }
  const wrong = new Map([['nonsense', { neverPaid: 1, paying: 2 }]])
  expect(() => openAllowances({ config: { ...config, allowances: wrong }, sql, redis })).toThrow(
    'ALLOWANCES names nonsense',
  )
})

test('an account that is faster than its rate is delayed, and no other', () => {
  const pace = new Pace(system.context.allowances, 'body_bytes')
  const megabyte = 1_000_000
  expect(pace.delayMs(free, megabyte, 0)).toBe(0)
  expect(pace.delayMs(free, 7 * megabyte, 0)).toBe(750)
  expect(pace.delayMs(paying, 7 * megabyte, 0)).toBe(0)
  expect(pace.delayMs(free, megabyte, 1_500)).toBe(0)
})
