import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aCardSystem } from '../../test/payments/a-card-system.ts'
import { endAttempt } from './end-attempt.ts'
import { listStuckAttempts } from './stuck-attempts.ts'

const system = perFile(aCardSystem)
beforeEach(() => void system.processor.change({ limits: false, losesAnswers: false }))
afterEach(() => expectLedgerToBalance(system.context.sql))

async function aPendingAttempt() {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  const [attempt] = await system.context.sql<{ id: string }[]>`
    select id from open_automatic_top_up(${accountId}, 10)`
  const id = attempt?.id ?? ''
  const context = { ...system.context, payments: system.payments }
  return { accountId, id, end: () => endAttempt(context, { accountId, id, reason: 'checked at Stripe' }) }
}

const statusOf = async (id: string) => {
  const [row] = await system.context.sql<{ status: string; credits: bigint }[]>`
    select p.status, b.credits_nanos / 1000000000 as credits
    from payments p join balances b on b.account_id = p.account_id where p.id = ${id}`
  return row
}

const stuckIds = async () =>
  (await listStuckAttempts(system.context, { slice: { limit: 10 } })).map(({ id }) => id)

const outdate = (id: string) => system.context.sql`
  update payments set created_at = created_at - interval '3 hours' where id = ${id}`

test('an attempt without a charge is ended, and a worker cannot charge it afterwards', async () => {
  const { accountId, id, end } = await aPendingAttempt()
  expect(await end()).toMatchObject({ status: 'failed', failure: 'ended_by_operator' })
  await system.run(accountId)
  expect(await system.charged(accountId)).toEqual([])
  await expect(end()).rejects.toThrow('has ended: it is failed')
  expect(await statusOf(id)).toMatchObject({ status: 'failed' })
})

test('an attempt whose card was charged is not ended, but credited', async () => {
  const { accountId, id, end } = await aPendingAttempt()
  await system.run(accountId)
  await expect(end()).rejects.toThrow('Stripe has charged the card')
  await system.deliver()
  expect(await statusOf(id)).toEqual({ status: 'completed', credits: 55n })
})

test('an attempt that Stripe does not know is ended when it is stuck, and credited if it was charged after all', async () => {
  const { accountId, id, end } = await aPendingAttempt()
  const { sql } = system.context
  await system.run(accountId)
  await sql`update payments set payment_intent_id = 'pi_of_another_system' where id = ${id}`
  await expect(end()).rejects.toThrow('Stripe does not say')
  expect(await stuckIds()).toEqual([])
  await outdate(id)
  await system.run(accountId)
  expect(await stuckIds()).toEqual([id])
  expect(await end()).toMatchObject({ status: 'failed' })
  expect(await stuckIds()).toEqual([])
  await system.deliver()
  expect(await statusOf(id)).toEqual({ status: 'completed', credits: 55n })
})

test('a limit of Stripe ends nothing', async () => {
  const { accountId, id, end } = await aPendingAttempt()
  await system.run(accountId)
  system.processor.change({ limits: true })
  await expect(end()).rejects.toThrow('Stripe does not say')
  expect(await statusOf(id)).toMatchObject({ status: 'pending' })
  system.processor.change({ limits: false })
  await system.deliver()
})
