import { Problem } from '../../schema/errors.ts'
import { spend } from '../allowances/spend.ts'
import { standingOf } from '../allowances/standing.ts'
import { newDeliveryId, queueDelivery } from '../callbacks/queue-delivery.ts'
import type { Context } from '../context.ts'
import { readAlertSettings } from './alert-settings.ts'

/**
 * Queues a webhook `webhook.test` to the URL for alerts, signed and retried like every webhook. Returns the ID of its
 * delivery. Throws `conflict` if the account has no webhook, and `allowance_exceeded`.
 */
export async function testWebhook(
  context: Pick<Context, 'sql' | 'ids' | 'clock' | 'allowances'>,
  { accountId }: { accountId: string },
): Promise<{ id: string }> {
  const { webhookUrl: url } = await readAlertSettings(context, { accountId })
  if (url === null) {
    const message = 'The account has no webhook for alerts. Set webhookUrl with updateAlertSettings first.'
    throw new Problem('conflict', { message })
  }
  const { allowances } = context
  await spend(allowances, await standingOf(allowances, accountId), { resource: 'webhook_tests' })
  const id = newDeliveryId(context)
  const event = 'webhook.test'
  const timestamp = new Date(context.clock.now()).toISOString()
  const body = JSON.stringify({ type: event, timestamp, data: {} })
  await queueDelivery(context.sql, { accountId, id, event, url, body })
  return { id }
}
