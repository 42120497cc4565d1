import { expect, test } from 'vitest'
import { findMissedEvents } from '../../domain/billing/find-missed-events.ts'
import { openPayments } from '../../domain/billing/open-payments.ts'
import type { PaymentEvent } from '../../domain/billing/parse-event.ts'
import { receiveEvent } from '../../domain/billing/receive-event.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem, inNanos } from './a-payment-system.ts'

const system = perFile(aPaymentSystem)

test('an event of Stripe that was never received is found, and applied once', async () => {
  const { context, config, processor } = system
  const { accountId, token } = await system.aPerson()
  const received = await system.topUp(token, 5)
  await system.press(received.checkout_url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(5))

  processor.sendTo('http://127.0.0.1:9/') // deliveries are lost from here on
  const lost = await system.topUp(token, 10)
  await system.press(lost.checkout_url, 'pay')

  const payments = openPayments(config)
  const period = { since: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) }
  const missed = async () => {
    const events: PaymentEvent[] = []
    for await (const event of findMissedEvents({ ...context, payments }, period)) events.push(event)
    return events
  }
  await expect.poll(async () => (await missed()).length).toBe(1)
  const [event] = await missed()
  expect(event?.content).toMatchObject({ payment: { accountId, id: lost.id }, change: 'paid' })
  expect(await receiveEvent(context, event!)).toMatchObject({ outcome: 'credited' })
  expect(await system.creditsOf(accountId)).toBe(inNanos(15))
  expect(await missed()).toEqual([])
  payments.close()
  await expectLedgerToBalance(context.sql)
})
