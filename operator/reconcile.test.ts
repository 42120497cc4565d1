import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { aSystem } from '../test/harness/a-context.ts'
import { answerJson, aVendor } from '../test/harness/a-vendor.ts'
import { forThisTest } from '../test/harness/per-file.ts'

const run = promisify(execFile)

test("npm run reconcile lists Stripe's events that were not received, and applies them", async () => {
  const system = forThisTest(await aSystem())
  const created = Math.floor(Date.now() / 1000) - 3_600
  const amounts = { amount_total: 500, total_details: null, currency: 'usd' }
  const object = {
    id: 'cs_1',
    mode: 'payment',
    payment_status: 'unpaid',
    ...amounts,
    payment_intent: null,
    metadata: {},
  }
  const event = { id: 'evt_1', type: 'checkout.session.expired', created, data: { object } }
  const events = { object: 'list', url: '/v1/events', data: [event], has_more: false }
  const stripe = forThisTest(await aVendor(response => answerJson(response, 200, events)))
  const reconcile = (...options: string[]) =>
    run(process.execPath, [join(import.meta.dirname, 'reconcile.ts'), ...options], {
      env: {
        ...{ PATH: process.env.PATH, DATABASE_URL: system.config.databaseUrl, MEDIA_FOLDER: 'none' },
        ...{ STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef0123', STRIPE_URL: stripe.url },
        STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
      },
    }).catch(error => error)
  const moment = new Date(1_000 * created).toISOString()
  const line = `Stripe: checkout.session.expired evt_1 of ${moment} was not received`
  expect(await reconcile()).toMatchObject({
    code: 1,
    stdout: `0 accounts, no differences\n${line}\n`,
    stderr: '',
  })
  const warned = /^{"level":50,.*"a payment event matches no payment"}\n$/
  expect(await reconcile('--repair')).toEqual({
    stdout: `0 accounts, no differences\n${line}, applied: unknown_payment\n`,
    stderr: expect.stringMatching(warned),
  })
})
