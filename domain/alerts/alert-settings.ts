import { objectionToUrl } from '../../platform/http/public-url.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { Context } from '../context.ts'

/** The settings for notifications of an account beside e-mail. */
export interface AlertSettings {
  /** The URL to which signed webhooks are sent; null if none are sent. */
  webhookUrl: string | null
}

const maxUrlLength = 2048

/** Reads the settings for an account's notifications. */
export async function readAlertSettings(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<AlertSettings> {
  const [row] = await sql<{ url: string }[]>`select url from alert_webhooks where account_id = ${accountId}`
  return { webhookUrl: row?.url ?? null }
}

/** Changes the URL of the account's webhooks; null stops them. Throws `validation_failed`. */
export async function changeAlertSettings(
  { sql, clock, config }: Pick<Context, 'sql' | 'clock' | 'config'>,
  { accountId, webhookUrl }: { accountId: string; webhookUrl: string | null },
): Promise<AlertSettings> {
  if (webhookUrl === null) {
    await sql`delete from alert_webhooks where account_id = ${accountId}`
    return { webhookUrl }
  }
  const url = checkWebhookUrl(webhookUrl, config)
  const now = new Date(clock.now())
  await sql`
    insert into alert_webhooks (account_id, url, updated_at) values (${accountId}, ${url}, ${now})
    on conflict (account_id) do update set url = excluded.url, updated_at = excluded.updated_at`
  return { webhookUrl: url }
}

/**
 * Checks that a URL uses HTTPS and that its host, if it is an IP address, is public. The addresses that a host name
 * resolves to are checked when it is called.
 */
function checkWebhookUrl(text: string, rules: Pick<Context['config'], 'allowLoopback'>): string {
  if (text.length > maxUrlLength) refuseParam('webhookUrl', `must have at most ${maxUrlLength} characters`)
  if (!URL.canParse(text)) refuseParam('webhookUrl', 'must be an absolute address')
  const url = new URL(text)
  const objection = objectionToUrl(url, rules)
  if (objection) refuseParam('webhookUrl', `must ${objection}`)
  return url.href
}
