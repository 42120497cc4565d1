import { isPlainAddress, type Mail, sendMail, sendsMail } from '../../platform/mail/send-mail.ts'
import type { JsonObject } from '../../schema/json.ts'
import { queueDelivery } from '../callbacks/queue-delivery.ts'
import { rolesWith } from '../callers/scopes.ts'
import type { Context } from '../context.ts'
import { readAlertSettings } from './alert-settings.ts'
import { countNotice, hasReachedNoticeLimit } from './count-notices.ts'

/** A notification of an account, by e-mail and webhook. */
export interface Notice {
  /**
   * The ID of the event. It is the same in every attempt, so that receivers recognize repeated e-mails and webhooks.
   */
  id: string
  event: 'balance.low' | 'budget.reached' | 'automatic_top_up.stopped'
  /** When the event happened, in ISO 8601. */
  at: string
  /** The data of the webhook, named as in REST. */
  data: JsonObject
  mail: Pick<Mail, 'subject' | 'paragraphs'>
}

type TellingContext = Pick<Context, 'sql' | 'config' | 'log' | 'allowances'>

/** Maximum number of recipients of one e-mail: the earliest members. */
const maxRecipients = 20

/**
 * Notifies an account: queues the webhook if the account has one, and sends the e-mail to its members who
 * handle money and have confirmed their addresses. Resolves to whether the e-mail was sent. It is not sent if no address is confirmed, no mail server is
 * configured, or the account's daily allowance is used up. Throws if the mail server refuses it. A retry queues no
 * second webhook.
 */
export async function notifyAccount(
  context: TellingContext,
  { accountId, notice, signal }: { accountId: string; notice: Notice; signal: AbortSignal },
): Promise<boolean> {
  if (await hasReachedNoticeLimit(context, { accountId })) {
    context.log.warn(
      { accountId, notice: notice.id },
      'an alert was not sent: the allowance alert_notices is used up today',
    )
    return false
  }
  const { webhookUrl } = await readAlertSettings(context, { accountId })
  if (webhookUrl !== null) {
    const body = JSON.stringify({ type: notice.event, timestamp: notice.at, data: notice.data })
    const delivery = { accountId, id: `msg_${notice.id}`, event: notice.event, url: webhookUrl, body }
    await queueDelivery(context.sql, delivery)
  }
  const isMailed = await mailAccount(context, { accountId, mail: { id: notice.id, ...notice.mail }, signal })
  await countNotice(context, { accountId })
  return isMailed
}

async function mailAccount(
  { sql, config, log }: TellingContext,
  { accountId, mail, signal }: { accountId: string; mail: Omit<Mail, 'to'>; signal: AbortSignal },
): Promise<boolean> {
  if (!sendsMail(config)) {
    log.warn({ accountId, mail: mail.id }, 'an e-mail was not sent: SMTP_URL is none')
    return false
  }
  const users = await sql<{ email: string }[]>`
    select u.email from memberships m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and u.email_confirmed_at is not null and m.role = any (${rolesWith('billing')})
    order by m.created_at, m.user_id limit ${maxRecipients}`
  const to = users.map(({ email }) => email).filter(isPlainAddress)
  if (to.length === 0) {
    log.warn({ accountId }, 'an e-mail was not sent: the account has no confirmed address')
    return false
  }
  const { refused } = await sendMail(config, { ...mail, to }, signal)
  log.info({ accountId, mail: mail.id, recipients: to.length, refused }, 'an e-mail was sent')
  return true
}
