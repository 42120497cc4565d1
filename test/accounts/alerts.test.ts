import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readCallbackSecrets } from '../../domain/callbacks/callback-secrets.ts'
import { adjustCredits } from '../../domain/ledger/adjust-credits.ts'
import { nanos } from '../../platform/money.ts'
import { type RunningMailbox, startMailbox } from '../../simulators/mailbox/start-mailbox.ts'
import { startReceiver } from '../../simulators/receiver/start-receiver.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { aMember, anApiKey } from '../harness/an-account.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

let secrets: string[] = []

/** A test replaces it. */
let mailbox: RunningMailbox
beforeAll(async () => {
  mailbox = await startMailbox()
})
afterAll(() => mailbox.close())
const receiver = perFile(() => startReceiver({ secrets: () => secrets }))
const system = perFile(() =>
  anEdgeBeforeControl({
    SMTP_URL: mailbox.smtpUrl,
    MAIL_FROM: 'Rubicon <alerts@rubicon.example>',
    WORKER_PORT: '0',
  }),
)
perFile(() => startWorker(system.config))
beforeEach(() => mailbox.change({ answer: 'take', answerMs: 0 }))
afterEach(() => expectLedgerToBalance(system.context.sql))

interface Customer extends TestClient {
  email: string
  token: string
}

/** A person who signed up, with money and a key. */
async function aCustomer(options: { creditNanos?: bigint; limitNanos?: bigint } = {}): Promise<Customer> {
  const { creditNanos = 1_000_000_000n, ...limit } = options
  const { accountId, email, token } = await system.aPerson()
  await system.context.sql`update users set email_confirmed_at = now() where email = ${email}`
  await adjust(accountId, creditNanos)
  const key = await anApiKey(system.context, { accountId, ...limit })
  return { ...clientOf(system, key), email, token }
}

let adjustments = 0
const adjust = (accountId: string, amountNanos: bigint) =>
  adjustCredits(system.context, {
    accountId,
    amountNanos,
    source: `by-hand:${++adjustments}`,
    reason: 'test',
  })

const chat = async (client: TestClient) => {
  const response = await client.post('/chat/completions', saying('say 20 words'))
  return [response.status, await response.text()] as const
}

/** All e-mails to a customer except the confirmation of the address. */
const mailsOf = ({ email }: Customer) =>
  mailbox.mails.filter(
    ({ recipients, subject }) => recipients.includes(email) && !subject.startsWith('Confirm'),
  )
const creditsOf = async ({ accountId }: TestClient) =>
  (await balanceOf(system.context.sql, accountId)).credits

/** An alert that the next charge fires: its threshold equals the balance. */
async function anAlertAtTheBrink(customer: Customer): Promise<string> {
  const threshold = Number(await creditsOf(customer)) / 1e9
  const { status, body } = await system.rest('POST', '/billing/alerts', {
    token: customer.token,
    body: { threshold },
  })
  expect(status).toBe(201)
  return body.id
}

const lastSentAt = async ({ token }: Customer, id: string): Promise<string | null> => {
  const { body } = await system.rest('GET', '/billing/alerts', { token })
  return body.data.find((alert: { id: string }) => alert.id === id).last_sent_at
}

test('a chat that brings credits below a threshold sends the account one e-mail, and its record says when', async () => {
  const customer = await aCustomer()
  const id = await anAlertAtTheBrink(customer)
  expect(await lastSentAt(customer, id)).toBeNull()
  expect((await chat(customer))[0]).toBe(200)
  await expect.poll(() => lastSentAt(customer, id)).not.toBeNull()
  const left = Number(await creditsOf(customer)) / 1e9
  expect((await chat(customer))[0]).toBe(200)

  const [mail, ...more] = mailsOf(customer)
  expect(more).toEqual([])
  expect(mail?.recipients).toEqual([customer.email])
  expect(mail?.subject).toBe('Your credits are below $1.00')
  expect(mail?.text).toContain(`$${left} were left at`)
  expect(mail?.messageId).toBe(`<alert_${id.replaceAll('-', '')}_1@rubicon.example>`)
  const sentAt = Date.parse((await lastSentAt(customer, id)) ?? '')
  expect(Date.now() - sentAt).toBeLessThan(60_000)
})

test('a video that succeeds fires an alert as a chat does; one that fails does not', async () => {
  system.simulator.change({ generationMs: 50 })
  const [lucky, unlucky] = [await aCustomer(), await aCustomer()]
  await anAlertAtTheBrink(lucky)
  await anAlertAtTheBrink(unlucky)
  await Promise.all([
    generate(lucky, 'A paper boat', 'success'),
    generate(unlucky, 'A paper boat [[fault: fail]]', 'failed'),
  ])
  await expect.poll(() => mailsOf(lucky).length).toBe(1)
  const [alert] = await system.context.sql`
    select armed from balance_alerts where account_id = ${unlucky.accountId}`
  expect(alert).toEqual({ armed: true })
}, 60_000)

/** Submits a video, and waits until it has ended so. */
async function generate(customer: Customer, prompt: string, end: 'success' | 'failed'): Promise<void> {
  const submitted = await customer.post('/videos/generations', { model: 'vendor_i/reel', prompt })
  expect(submitted.status).toBe(200)
  const { id } = await submitted.json()
  const status = async () => {
    const headers = { authorization: `Bearer ${customer.text}` }
    const response = await fetch(`${system.baseURL}/videos/generations/${id}`, { headers })
    return (await response.json()).status
  }
  await expect.poll(status, { timeout: 25_000 }).toBe(end)
}

test('only the users of the account get it, and all of them', async () => {
  const [customer, stranger] = [await aCustomer(), await aCustomer()]
  const email = 'colleague@example.com'
  await aMember(system.context, { accountId: customer.accountId, email, isConfirmed: true })
  await anAlertAtTheBrink(customer)
  await chat(customer)
  await expect.poll(() => mailsOf(customer).length).toBe(1)
  expect(mailsOf(customer)[0]?.recipients).toEqual([customer.email, email])
  expect(mailsOf(stranger)).toEqual([])
})

test('a key that spends its cap is told of at 80 and 100 percent, by e-mail and by signed webhook', async () => {
  const probe = await aCustomer()
  await chat(probe)
  const costNanos = 1_000_000_000n - (await creditsOf(probe))

  const limitNanos = 10n * costNanos
  const customer = await aCustomer({ limitNanos })
  secrets = (await readCallbackSecrets(system.context, customer)).map(({ secret }) => secret)
  const settings = `mutation ($input: UpdateAlertSettingsInput!) {
    updateAlertSettings(input: $input) { alertSettings { webhookUrl } }
  }`
  const webhookUrl = `${receiver.url}/callbacks`
  const changed = await ask(customer, settings, { input: { webhookUrl } })
  expect(changed.data.updateAlertSettings.alertSettings).toEqual({ webhookUrl })

  for (let turn = 0; turn < 12; turn++) await chat(customer)
  await expect.poll(() => mailsOf(customer).length).toBe(2)
  expect(mailsOf(customer).map(({ subject }) => subject)).toEqual([
    'An API key has spent 80% of its cap',
    'An API key has used up its cap',
  ])
  await expect.poll(() => webhooksOf(customer).length).toBe(2)
  expect(webhooksOf(customer)).toMatchObject([
    {
      isVerified: true,
      body: { type: 'budget.reached', data: { percent: 80, credit_reset_interval: 'none' } },
    },
    { isVerified: true, body: { type: 'budget.reached', data: { percent: 100 } } },
  ])
  const [first] = webhooksOf(customer)
  expect(Reflect.get(Object(first?.body), 'data')).toMatchObject({
    api_key_id: customer.keyId,
    name: 'test key',
    credit_limit: Number(limitNanos) / 1e9,
    credit_used: Number(8n * costNanos) / 1e9,
  })

  const { data } = await ask(customer, settings, { input: { webhookUrl: null } })
  expect(data.updateAlertSettings.alertSettings).toEqual({ webhookUrl: null })
  await anAlertAtTheBrink(customer)
  await adjust(customer.accountId, -nanos(0.01)!)
  await expect.poll(() => mailsOf(customer).length).toBe(3)
  expect(webhooksOf(customer)).toHaveLength(2)
})

test('a balance alert goes to the webhook too', async () => {
  const customer = await aCustomer()
  secrets = (await readCallbackSecrets(system.context, customer)).map(({ secret }) => secret)
  const settings = `mutation ($url: String) { updateAlertSettings(input: { webhookUrl: $url }) { alertSettings { webhookUrl } } }`
  await ask(customer, settings, { url: `${receiver.url}/callbacks` })
  const id = await anAlertAtTheBrink(customer)
  await chat(customer)
  const credits = Number(await creditsOf(customer)) / 1e9
  const came = () => receiver.callbacks.filter(({ body }) => JSON.stringify(body).includes(id))
  await expect.poll(() => came().length).toBe(1)
  expect(came()).toMatchObject([
    {
      id: `msg_alert_${id.replaceAll('-', '')}_1`,
      isVerified: true,
      body: { type: 'balance.low', data: { alert_id: id, threshold: 1, credits } },
    },
  ])
})

describe('a webhook address is refused', () => {
  let customer: Customer
  beforeAll(async () => {
    customer = await aCustomer()
  })

  test.each([
    ['https://10.0.0.1/hook', 'be a public address'],
    ['nonsense', 'be an absolute address'],
    [`https://example.com/${'x'.repeat(2048)}`, 'have at most 2048 characters'],
  ])('%s: it must %s', async (webhookUrl, rule) => {
    const change =
      'mutation ($url: String) { updateAlertSettings(input: { webhookUrl: $url }) { alertSettings { webhookUrl } } }'
    const { errors } = await ask(customer, change, { url: webhookUrl })
    expect(errors).toMatchObject([{ extensions: { problem: 'validation_failed', param: 'webhookUrl' } }])
    expect(errors[0].message).toContain(rule)
  })
})

const webhooksOf = ({ keyId }: Customer) =>
  receiver.callbacks.filter(({ body }) => JSON.stringify(body).includes(keyId))

async function ask({ token }: Customer, query: string, variables: object) {
  const response = await fetch(`${system.edge.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  })
  return response.json()
}
