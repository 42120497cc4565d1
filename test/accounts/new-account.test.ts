import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystemWithMail } from '../payments/a-payment-system.ts'

const system = perFile(aPaymentSystemWithMail)

test('a new account goes from sign-up to top-up, key, chat, alert e-mail', async () => {
  const email = 'ada@example.com'
  const signUp = await system.rest('POST', '/auth/sign-up', { body: { email, password: 'correct horse' } })
  expect(signUp.status).toBe(201)
  const token = signUp.body.access_token
  const read = async (path: string) => (await system.rest('GET', path, { token })).body
  const create = async (path: string, body: object) => {
    const answer = await system.rest('POST', path, { token, body })
    expect(answer.status, path).toBe(201)
    return answer.body
  }
  expect(await read('/billing/balance')).toEqual({ credits: 0, held: 0, available: 0, currency: 'USD' })

  const mails = () => system.mailbox.mails.filter(({ recipients }) => recipients.includes(email))
  await expect.poll(() => mails().length).toBe(1)
  const [, confirmation] = /#(\S+)/.exec(mails()[0]?.text ?? '') ?? []
  const confirmed = await system.rest('POST', '/auth/confirm-email', { body: { token: confirmation } })
  expect(confirmed.body).toEqual({ email })

  // A key without money cannot run requests.
  const { id: keyId, key } = await create('/api-keys', { name: 'my first key' })
  const openai = new OpenAI({ apiKey: key, baseURL: system.baseURL, maxRetries: 0 })
  const ask = () =>
    openai.chat.completions.create({
      model: 'vendor_a/atlas',
      messages: [{ role: 'user', content: 'say 20 words' }],
    })
  await expect(ask()).rejects.toMatchObject({ status: 402, code: 'insufficient_credits' })

  const topUp = await create('/billing/topup', { amount: 5 })
  expect(topUp).toMatchObject({ amount: 5, currency: 'USD', status: 'pending' })
  expect((await fetch(topUp.checkout_url)).status).toBe(200)
  await system.press(topUp.checkout_url, 'pay')
  await expect.poll(async () => (await read('/billing/balance')).credits).toBe(5)

  const alert = await create('/billing/alerts', { threshold: 5 })
  const answer = await ask()
  expect(answer.choices[0]?.message.content?.split(' ')).toHaveLength(20)
  expect(answer.usage?.completion_tokens).toBeGreaterThan(0)

  await expect.poll(() => mails().length).toBe(2)
  expect(mails()[1]?.subject).toBe('Your credits are below $5.00')
  await expect
    .poll(async () => (await read('/billing/alerts')).data)
    .toEqual([{ ...alert, last_sent_at: expect.stringMatching(/^\d{4}-/) }])

  // Held reads 0 a moment after the last request.
  await expect.poll(async () => (await read('/billing/balance')).held).toBe(0)
  const { credits, available } = await read('/billing/balance')
  expect(available).toBe(credits)
  const { data, total } = await read('/billing/transactions')
  expect(total).toBe(2)
  expect(data).toMatchObject([
    { payment_method: 'usage', api_key_id: keyId, status: 'completed' },
    { payment_method: 'stripe', credits: 5, amount: 5, status: 'completed' },
  ])
  expect(data[0].credits).toBeCloseTo(credits - 5, 9)
  expect(data[0].request_id).toBe((await read('/logs/requests')).data[0].id)
  expect((await read('/api-keys'))[0]).toMatchObject({ id: keyId, credit_used: data[0].amount })

  await ask()
  expect(mails()).toHaveLength(2)
  await expectLedgerToBalance(system.context.sql)
})

test('docs/new-account.md does so command by command', async () => {
  const page = readFileSync(new URL('../../docs/new-account.md', import.meta.url), 'utf8')
  const [addresses, ...steps] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  expect(addresses).toMatch(/^BASE=.*\nMAILBOX=.*\n$/)
  // A retry of this test signs up another person.
  const commands = steps.join('').replaceAll('ada@', `ada-${Date.now()}@`)
  const script = `set -euo pipefail\nBASE=${system.edge.url}\nMAILBOX=${system.mailbox.url}\n${commands}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { timeout: 60_000 })
  const said = stdout.replaceAll(/\s+/g, ' ')
  expect(said).toContain('{"credits":5,"held":0,"available":5,"currency":"USD"}')
  expect(said).toContain('"threshold":5,"last_sent_at":null')
  expect(said).toContain('"object":"chat.completion"')
  expect(said).toContain('"payment_method":"usage"')
  expect(said).toContain('"payment_method":"stripe"')
  expect(said).toContain('The credits of your account fell below $5.00')
  await expectLedgerToBalance(system.context.sql)
}, 90_000)
