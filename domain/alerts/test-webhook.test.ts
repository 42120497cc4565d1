import { expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { changeAlertSettings } from './alert-settings.ts'
import { testWebhook } from './test-webhook.ts'

const system = perFile(() => aSystem({ ALLOWANCES: 'webhook_tests=2/2' }))

test('the allowance webhook_tests limits tests, and a refused test queues nothing', async () => {
  const { context } = system
  const { accountId } = await anAccount(context)
  await changeAlertSettings(context, { accountId, webhookUrl: 'https://example.com/alerts' })
  const tested = await Promise.allSettled([1, 2, 3].map(() => testWebhook(context, { accountId })))
  const refused = tested.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
  expect(refused).toMatchObject([{ errorName: 'allowance_exceeded', details: { param: 'webhook_tests' } }])
  expect((await context.sql`select from deliveries where account_id = ${accountId}`).count).toBe(2)
})
