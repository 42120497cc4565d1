import { expect, test } from 'vitest'
import { readAutomaticTopUp } from '../domain/automatic-top-ups/automatic-top-up.ts'
import { readSavedCard } from '../domain/stripe/saved-cards.ts'
import { startSetup } from '../domain/stripe/start-setup.ts'
import { perFile } from '../test/harness/per-file.ts'
import { aCardSystem } from '../test/payments/a-card-system.ts'
import { forgetSimulatedCustomers } from './forget-simulated-customers.ts'

const system = perFile(aCardSystem)

test('after a restart of the payment simulator, an account has no card, and can save one again', async () => {
  const { context } = system
  const { accountId } = await system.aToppedUpAccount()
  await forgetSimulatedCustomers(context.sql)
  expect(await readSavedCard(context, { accountId })).toBeUndefined()
  expect(await readAutomaticTopUp(context, { accountId })).toMatchObject({
    isOn: false,
    stopReason: 'card_removed',
  })
  const { url } = await startSetup({ ...context, payments: system.payments }, { accountId })
  expect(url).toContain('/c/pay/')
})
