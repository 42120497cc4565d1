import type { ChildProcess } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { receiveMissedEvents } from '../../domain/billing/receive-missed-events.ts'
import { aWorkerProcess } from '../harness/a-process.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aCardSystem } from './a-card-system.ts'

const system = perFile(aCardSystem)
const children = new Set<ChildProcess>()
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await expectLedgerToBalance(system.context.sql)
})

const aWorker = () =>
  aWorkerProcess(
    { config: system.config, children },
    {
      STRIPE_SECRET_KEY: system.config.stripeSecretKey,
      STRIPE_WEBHOOK_SECRET: system.config.stripeWebhookSecret,
      STRIPE_URL: system.config.stripeUrl,
    },
  )

/** The calls that create, confirm or read a PaymentIntent. */
const calls = () => system.processor.calls.filter(({ path }) => path.startsWith('/v1/payment_intents'))
const confirmations = () => calls().filter(({ path }) => path.endsWith('/confirm'))

test('a worker is killed during the charge: another one continues it, and the card is charged once', async () => {
  const { sql, clock } = system.context
  system.processor.change({ chargeMs: 1_000 })
  const first = await aWorker()
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await expect.poll(() => confirmations().length, { timeout: 10_000 }).toBe(1)
  await first.kill()
  const before = calls().length
  await aWorker()
  await expect.poll(() => calls().length, { timeout: 20_000 }).toBeGreaterThan(before)
  await expect.poll(() => system.charged(accountId), { timeout: 10_000 }).toEqual([5_000])

  // No event was delivered: the worker asks Stripe for the events of the last two hours.
  const later = { ...clock, now: () => clock.now() + 5 * 60_000 }
  const context = { ...system.context, payments: system.payments, clock: later }
  await receiveMissedEvents(context)
  expect(await receiveMissedEvents(context)).toBe(0)
  const [balance] = await sql<{ credits: bigint }[]>`
    select credits_nanos as credits from balances where account_id = ${accountId}`
  expect(balance?.credits).toBe(55_000_000_000n)
  expect(await system.charged(accountId)).toEqual([5_000])
}, 60_000)
