import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { anAccountSystem } from './an-account-system.ts'

const system = perFile(anAccountSystem)

let addresses = 0
/** Another client address each time, so that no limit of a network is reached. */
const from = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

async function signUp(email: string) {
  const body = { email, password: 'correct horse' }
  const answer = await system.rest('POST', '/auth/sign-up', { body, headers: from() })
  expect(answer.status).toBe(201)
  return answer.body.access_token as string
}

const confirm = (token: string) =>
  system.rest('POST', '/auth/confirm-email', { body: { token }, headers: from() })
const requestAnother = (token: string) =>
  system.rest('POST', '/auth/request-email-confirmation', { token, headers: from() })
const confirmedAt = async (token: string) =>
  (await system.graph('{ viewer { user { emailConfirmedAt } } }', { token })).data.viewer.user
    .emailConfirmedAt

test('the link in the e-mail after sign-up confirms the address, once', async () => {
  const session = await signUp('Ada@Example.com')
  const [token = ''] = await system.tokensTo('ada@example.com')
  expect(await confirmedAt(session)).toBeNull()
  const confirmed = await confirm(token)
  expect([confirmed.status, confirmed.body]).toEqual([200, { email: 'ada@example.com' }])
  expect(await confirmedAt(session)).toMatch(/^\d{4}-/)
  const again = await confirm(token)
  expect([again.status, again.body.error]).toMatchObject([400, { code: 'link_refused', param: 'token' }])

  const log = await system.rest('GET', '/audit-log', { token: session })
  expect(log.body.data.map(({ action }: { action: string }) => action)).toEqual(['confirmEmail', 'signUp'])
  expect((await requestAnother(session)).status).toBe(204)
  expect(await system.tokensTo('ada@example.com')).toHaveLength(1)
})

test('a forged, changed or expired token confirms nothing', async () => {
  const session = await signUp('grace@example.com')
  const [token = ''] = await system.tokensTo('grace@example.com')
  const [id = '', mac = ''] = token.split('.')
  const forged = [
    '',
    'x',
    `${id}.`,
    `${id}.${mac.split('').reverse().join('')}`,
    `${token}x`,
    '\u0000'.repeat(40),
  ]
  for (const one of forged) expect((await confirm(one)).status).toBeGreaterThanOrEqual(400)
  await system.context.sql`
    update mailed_links set expires_at = now() - interval '1 second' where email = 'grace@example.com'`
  expect((await confirm(token)).body.error.code).toBe('link_refused')
  expect(await confirmedAt(session)).toBeNull()
})

test('an address gets at most three links in a window, and an account five confirmations a day', async () => {
  const session = await signUp('joan@example.com')
  const statuses: number[] = []
  for (let turn = 0; turn < 3; turn++) statuses.push((await requestAnother(session)).status)
  expect(statuses).toEqual([204, 204, 429])
  expect(await system.tokensTo('joan@example.com')).toHaveLength(3)
  const { redis, config } = system.context
  await redis.del(...(await redis.keys(`${config.redisPrefix}tries:*`)))
  for (let turn = 0; turn < 2; turn++) statuses.push((await requestAnother(session)).status)
  const refused = await requestAnother(session)
  expect([refused.status, refused.body.error]).toMatchObject([
    429,
    { code: 'allowance_exceeded', param: 'confirmation_mails' },
  ])
})

test('one network has at most twenty e-mails sent in a window; sign-up works without one', async () => {
  const headers = from()
  for (let person = 0; person < 21; person++) {
    const body = { email: `stranger-${person}@example.com`, password: 'correct horse' }
    expect((await system.rest('POST', '/auth/sign-up', { body, headers })).status).toBe(201)
  }
  await system.tokensTo('')
  const mailed = system.mailbox.mails.filter(({ recipients }) => recipients[0]?.startsWith('stranger-'))
  expect(mailed).toHaveLength(20)
})

test('no word of the customer is in a confirmation', async () => {
  const body = { email: 'mary@example.com', password: 'correct horse', name: 'Win a prize at evil.example' }
  await system.rest('POST', '/auth/sign-up', { body, headers: from() })
  await system.tokensTo('mary@example.com')
  const mail = system.mailbox.mails.find(({ recipients }) => recipients.includes('mary@example.com'))
  expect(`${mail?.subject} ${mail?.text} ${mail?.html}`).not.toContain('prize')
})

test('the page that the link opens is served, and may run only its own script', async () => {
  const answer = await fetch(`${system.url}/account/confirm-email`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(answer.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/)
  expect(await answer.text()).toContain('action="/api/v1/auth/confirm-email"')
})
