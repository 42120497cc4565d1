import { expect, test } from 'vitest'
import { startMailbox } from '../../simulators/mailbox/start-mailbox.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { aBudget, aMember, anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { changeAlertSettings } from './alert-settings.ts'
import { listBalanceAlerts } from './balance-alert-records.ts'
import { createBalanceAlert, deleteBalanceAlert } from './change-balance-alerts.ts'
import { sendBalanceAlert } from './send-balance-alert.ts'
import { sendBudgetAlert } from './send-budget-alert.ts'
import { sendCapAlert } from './send-cap-alert.ts'

const mailbox = perFile(startMailbox)
const system = perFile(() => aSystem({ SMTP_URL: mailbox.smtpUrl, ALLOWANCES: 'alert_notices=3/3' }))

const { signal } = new AbortController()

/** An account with a user, and an alert. */
async function anAlert() {
  const { context } = system
  const { accountId } = await anAccount(context)
  const { email } = await aMember(context, { accountId, isConfirmed: true })
  const { id: alertId } = await createBalanceAlert(context, { accountId, thresholdNanos: 5_000_000_000n })
  return { accountId, alertId, email }
}

type Alert = Awaited<ReturnType<typeof anAlert>>

const firedOf = ({ accountId, alertId }: Alert, firing = 1) => ({
  accountId,
  alertId,
  firing,
  thresholdNanos: '5000000000',
  creditsNanos: '1234567890123',
  at: '2026-11-22T09:30:12.123456+00:00',
})

const send = (alert: Alert, firing?: number, context = system.context) =>
  sendBalanceAlert(context, { fired: firedOf(alert, firing), signal })

const mailsTo = ({ email }: Alert) => mailbox.mails.filter(({ recipients }) => recipients.includes(email))
const lastSentAt = async (alert: Alert) => (await listBalanceAlerts(system.context, alert))[0]?.lastSentAt

test('an alert is sent once, even if its job runs again after it was recorded', async () => {
  const alert = await anAlert()
  for (let run = 0; run < 3; run++) await send(alert)
  expect(mailsTo(alert)).toHaveLength(1)
  expect(mailsTo(alert)[0]?.text).toContain(
    'fell below $5.00: $1,234.567890123 were left at 2026-11-22 09:30 UTC',
  )
  expect(await lastSentAt(alert)).toBeInstanceOf(Date)
})

test('a firing that was followed by a later one of the same alert is not sent', async () => {
  const alert = await anAlert()
  await send(alert, 2)
  await send(alert, 1)
  expect(mailsTo(alert).map(({ messageId }) => messageId)).toEqual([expect.stringMatching(/_2@/)])
})

test('a firing of a deleted alert is not sent', async () => {
  const alert = await anAlert()
  await deleteBalanceAlert(system.context, alert)
  await send(alert)
  expect(mailsTo(alert)).toEqual([])
})

test('an e-mail that the mail server refuses is not recorded, and its webhook is queued once', async () => {
  const { context } = system
  const alert = await anAlert()
  await changeAlertSettings(context, { accountId: alert.accountId, webhookUrl: 'http://127.0.0.1:9/hook' })
  mailbox.change({ answer: 'later' })
  for (let run = 0; run < 2; run++) await expect(send(alert)).rejects.toThrow(/Try again later/)
  mailbox.change({ answer: 'take' })
  expect(await lastSentAt(alert)).toBeNull()
  await send(alert)
  expect(await lastSentAt(alert)).not.toBeNull()
  expect(await context.sql`select event from deliveries where account_id = ${alert.accountId}`).toEqual([
    { event: 'balance.low' },
  ])
})

test('an interruption between sending and recording causes a second e-mail with the same Message-ID', async () => {
  const alert = await anAlert()
  mailbox.change({ answerMs: 60_000 }) // it has the mail, and does not say so
  const cut = new AbortController()
  const sending = sendBalanceAlert(system.context, { fired: firedOf(alert), signal: cut.signal })
  await expect.poll(() => mailsTo(alert).length, { timeout: 10_000 }).toBe(1)
  cut.abort()
  await expect(sending).rejects.toThrow()
  mailbox.change({ answerMs: 0 })
  expect(await lastSentAt(alert)).toBeNull()
  await send(alert)
  const [first, second, ...more] = mailsTo(alert).map(({ messageId }) => messageId)
  expect([second, more]).toEqual([first, []])
})

test('without a mail server nothing is recorded or retried, and the webhook is sent', async () => {
  const alert = await anAlert()
  const { accountId } = alert
  await changeAlertSettings(system.context, { accountId, webhookUrl: 'http://127.0.0.1:9/hook' })
  await send(alert, 1, { ...system.context, config: { ...system.config, smtpUrl: 'none' } })
  expect(await lastSentAt(alert)).toBeNull()
  expect(await system.context.sql`select 1 from deliveries where account_id = ${accountId}`).toHaveLength(1)
})

test('an address that is not confirmed gets no alert', async () => {
  const alert = await anAlert()
  await system.context.sql`update users set email_confirmed_at = null where email = ${alert.email}`
  await send(alert)
  expect(mailsTo(alert)).toEqual([])
  expect(await lastSentAt(alert)).toBeNull()
})

test('an account whose users have no valid address gets no e-mail, and its job ends', async () => {
  const { sql } = system.context
  const alert = await anAlert()
  await sql`update users set email = 'x>,<thief@example.com' where email = ${alert.email}`
  await send(alert)
  expect(await lastSentAt(alert)).toBeNull()
  expect(mailbox.mails.filter(({ recipients }) => recipients.some(to => to.includes('thief')))).toEqual([])
})

test('an account gets as many alerts per day as its allowance permits', async () => {
  const { sql } = system.context
  const alert = await anAlert()
  for (let firing = 1; firing <= 5; firing++) await send(alert, firing)
  expect(mailsTo(alert)).toHaveLength(3)
  await sql`update alert_notices set day = day - 1 where account_id = ${alert.accountId}`
  await send(alert, 6)
  expect(mailsTo(alert)).toHaveLength(4)
})

test('the alert of a cap names the key without its secret; a revoked key sends none', async () => {
  const { context } = system
  const alert = await anAlert()
  const { keyId, text } = await anApiKey(context, { accountId: alert.accountId })
  await context.sql`update api_keys set name = '<b>build</b>' where id = ${keyId}`
  const fired = {
    accountId: alert.accountId,
    keyId,
    id: context.ids.uuid(),
    percent: 100,
    limitNanos: '10000000000',
    spentNanos: '9999999999',
    resetInterval: 'monthly' as const,
    at: '2026-11-22T09:30:12Z',
  }
  await sendCapAlert(context, { fired, signal })
  const [mail] = mailsTo(alert)
  expect(mail?.subject).toBe('An API key has used up its cap')
  expect(mail?.text).toContain('has spent $9.999999999 of its cap of $10.00 a month.')
  expect(mail?.text).toContain('until the next month begins (UTC), or its cap is raised')
  expect(mail?.html).toContain('&lt;b&gt;build&lt;/b&gt;')
  expect(mail?.text).not.toContain(text.slice(-48))

  await context.sql`update api_keys set revoked_at = now() where id = ${keyId}`
  await sendCapAlert(context, { fired: { ...fired, id: context.ids.uuid() }, signal })
  expect(mailsTo(alert)).toHaveLength(1)
})

test('the alert of a budget names its subject to members, and has its data in the webhook', async () => {
  const { context } = system
  const { sql } = context
  const alert = await anAlert()
  const { accountId } = alert
  await sql`update alert_notices set day = day - 1`
  await changeAlertSettings(context, { accountId, webhookUrl: 'http://127.0.0.1:9/hook' })
  const { keyId } = await anApiKey(context, { accountId })
  const limit = { accountId, limitNanos: 10_000_000_000n, resetInterval: 'daily' }
  const ofKey = await aBudget(context, { ...limit, kind: 'api_key', key: '', value: keyId, action: 'warn' })
  const ofTag = await aBudget(context, limit)
  const sendOf = (budgetId: string, percent: number) => {
    const amounts = { limitNanos: '10000000000', spentNanos: '8000000000', resetInterval: 'daily' as const }
    const fired = {
      accountId,
      budgetId,
      id: context.ids.uuid(),
      percent,
      ...amounts,
      at: '2026-11-22T09:30:12Z',
    }
    return sendBudgetAlert(context, { fired, signal })
  }
  await sendOf(ofKey.id, 80)
  await sendOf(ofTag.id, 100)
  const [first, second] = mailsTo(alert)
  expect(first?.subject).toBe('A budget is 80% used')
  expect(first?.text).toContain('The budget of the API key test key (sk-rb-')
  expect(first?.text).toContain('has spent $8.00 of $10.00 a day.')
  expect(first?.text).toContain('This budget refuses no requests.')
  expect(second?.subject).toBe('A budget is used up')
  expect(second?.text).toContain('The budget of the tag "team" with the value "search"')
  expect(second?.text).toContain('until the next day begins (UTC), or its limit is raised')
  const bodies = await sql`select body from deliveries where account_id = ${accountId} order by body`
  expect(bodies.map(({ body }) => JSON.parse(body).data)).toEqual(
    expect.arrayContaining([
      {
        budget_id: ofKey.id,
        kind: 'api_key',
        api_key_id: keyId,
        member_id: null,
        tag: null,
        end_user: null,
        action: 'warn',
        percent: 80,
        limit: 10,
        spent: 8,
        reset_interval: 'daily',
      },
      expect.objectContaining({ kind: 'tag', tag: { key: 'team', value: 'search' }, action: 'refuse' }),
    ]),
  )
  await sql`delete from budgets where account_id = ${accountId}`
  await sendOf(ofTag.id, 100)
  expect(mailsTo(alert)).toHaveLength(2)
})
