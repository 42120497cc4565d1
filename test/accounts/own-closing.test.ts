import { afterEach, expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { closeAccount } from '../../domain/closures/close-account.ts'
import { closeOwnAccount } from '../../domain/closures/close-own-account.ts'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { systemIds } from '../../platform/ids.ts'
import { aMember, anApiKey, joinAccount } from '../harness/an-account.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aMortalContext } from '../harness/postgres/a-mortal-context.ts'
import { aNewTask } from '../tasks/a-task.ts'
import { anAccountSystem } from './an-account-system.ts'

const operator = mintOperatorKey(systemIds)
const baseUrl = 'https://console.example.com'
const system = perFile(() => anAccountSystem({ BASE_URL: baseUrl, OPERATOR_KEYS: `ada=${operator.digest}` }))
afterEach(() => expectLedgerToBalance(system.context.sql))

const close = (token: string | undefined, account_name: string) =>
  system.rest('POST', '/me/close', { token, body: { account_name } })
const reopen = (token: string) => system.rest('POST', '/auth/reopen-account', { body: { token } })
const outcomeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  status < 300 ? 'ok' : `${status} ${body.error?.code}`

/** An account named Acme with a confirmed owner, a key and ten dollars. */
async function anAcme() {
  const { context } = system
  const owner = await system.aPerson()
  const { accountId, email } = owner
  await context.sql`update users set email_confirmed_at = now() where email = ${email}`
  await context.sql`update accounts set name = 'Acme' where id = ${accountId}`
  const grant = { source: 'a test', paymentMethod: 'grant' } as const
  await creditAccount(context, { accountId, amountNanos: 10_000_000_000n, ...grant })
  const key = await anApiKey(context, { accountId })
  const surfaces = async () => {
    const { password, refreshToken } = owner
    const answers = await Promise.all([
      system.rest('GET', '/billing/balance', { token: key.text }),
      system.rest('GET', '/me', { token: owner.token }),
      system.rest('POST', '/auth/log-in', { body: { email, password } }),
      system.rest('POST', '/auth/refresh', { body: { refresh_token: refreshToken } }),
    ])
    return answers.map(outcomeOf)
  }
  return { ...owner, key, surfaces }
}

test('an owner closes the account, reads what is left, and any owner reopens it with the link', async () => {
  const acme = await anAcme()
  const { context } = system
  const { accountId, email } = acme
  const second = await aMember(context, { accountId, isConfirmed: true })
  const unconfirmed = await aMember(context, { accountId })
  const admin = await aMember(context, { accountId, role: 'admin', isConfirmed: true })
  const ledger = await openLedger(context, { kind: 'edge' })
  await submitTask({ context, ledger: directLedger(ledger) }, aNewTask(context, acme.key))
  await closeLedger(ledger)

  const wrong = await close(acme.token, 'acme')
  expect([wrong.status, wrong.body.error]).toMatchObject([
    422,
    { code: 'validation_failed', param: 'account_name' },
  ])
  const closed = await close(acme.token, 'Acme')
  expect([closed.status, closed.body]).toEqual([
    200,
    {
      closed_at: expect.any(String),
      erase_at: expect.any(String),
      credits: 10,
      held: 0.5,
      running_tasks: 1,
    },
  ])
  expect(Date.parse(closed.body.erase_at) - Date.parse(closed.body.closed_at)).toBe(30 * 86_400_000)
  expect(await acme.surfaces()).toEqual(Array(4).fill('403 account_closed'))

  const [first = ''] = await system.tokensTo(email)
  const links = await system.tokensTo(second.email)
  for (const { email: other } of [unconfirmed, admin]) expect(await system.tokensTo(other)).toEqual([])
  const [mail] = system.mailbox.mails.filter(({ recipients }) => recipients.includes(second.email))
  expect(mail?.subject).toBe('Your account was closed')
  expect(mail?.text).toContain(closed.body.erase_at.slice(0, 10))

  const reopened = await reopen(links[0] ?? '')
  expect([reopened.status, reopened.body]).toMatchObject([200, { id: accountId, name: 'Acme' }])
  expect([outcomeOf(await reopen(links[0] ?? '')), outcomeOf(await reopen(first))]).toEqual(
    Array(2).fill('400 link_refused'),
  )
  expect(await acme.surfaces()).toEqual(Array(4).fill('ok'))
  const log = await system.rest('GET', '/audit-log', { token: acme.token })
  const actions = log.body.data.map(({ action, user_id, outcome }: Record<string, string>) => [
    action,
    user_id,
    outcome,
  ])
  const [own] = await context.sql<{ id: string }[]>`select id from users where email = ${email}`
  expect(actions).toEqual(
    expect.arrayContaining([
      ['closeOwnAccount', own?.id, 'done'],
      ['reopenOwnAccount', second.userId, 'done'],
    ]),
  )
})

test('other roles, other origins and sessions without a recent confirmation close nothing', async () => {
  const acme = await anAcme()
  const { accountId, email, password } = acme
  for (const role of ['admin', 'developer'] as const) {
    const token = await joinAccount(system, { accountId, role })
    expect(outcomeOf(await close(token, 'Acme')), role).toBe('403 forbidden')
  }
  const logIn = await system.rest('POST', '/auth/log-in', {
    body: { email, password },
    headers: { 'x-session-cookie': '1', origin: baseUrl },
  })
  const cookie = logIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const forged = await system.rest('POST', '/me/close', {
    body: { account_name: 'Acme' },
    headers: { cookie, origin: 'https://evil.example' },
  })
  expect(outcomeOf(forged)).toBe('401 unauthenticated')
  await system.context.sql`
    update refresh_tokens set confirmed_at = now() - interval '11 minutes' where account_id = ${accountId}`
  expect(outcomeOf(await close(acme.token, 'Acme'))).toBe('403 confirmation_required')
  expect(await acme.surfaces()).toEqual(Array(4).fill('ok'))
})

test('an account that an operator has closed too is reopened by operators only, and forged links reopen nothing', async () => {
  const acme = await anAcme()
  const { accountId } = acme
  expect(outcomeOf(await close(acme.token, 'Acme'))).toBe('ok')
  const [link = ''] = await system.tokensTo(acme.email)
  const [id = '', mac = ''] = link.split('.')
  for (const forged of [`${id}.${[...mac].reverse().join('')}`, `${id}.`, '', `${systemIds.uuid()}.${mac}`])
    expect(outcomeOf(await reopen(forged))).toBe('400 link_refused')
  await closeAccount(system.context, { accountId, reason: 'chargebacks' })
  expect(outcomeOf(await reopen(link))).toBe('400 link_refused')
  const byOperator = await system.rest('POST', `/operator/accounts/${accountId}/reopen`, {
    token: operator.key,
    body: { reason: 'a mistake' },
  })
  expect(outcomeOf(byOperator)).toBe('ok')
  await closeAccount(system.context, { accountId, reason: 'chargebacks' })
  expect(outcomeOf(await reopen(link)), 'after another closing').toBe('400 link_refused')
})

test('a closing that dies at any statement is whole or did not happen, and no money moves', async () => {
  const { sql } = system.context
  const stateOf = async (accountId: string) => {
    const [state] = await sql<{ isClosed: boolean; links: number; jobs: number; credits: bigint }[]>`
      select closed_at is not null as "isClosed",
        (select count(*)::int from mailed_links where account_id = a.id) as links,
        (select count(*)::int from graphile_worker._private_jobs j join mailed_links l on l.id::text = j.payload ->> 'linkId'
          where l.account_id = a.id) as jobs,
        (select credits_nanos from balances where account_id = a.id) as credits
      from accounts a where id = ${accountId}`
    return state
  }
  const credits = 10_000_000_000n
  for (const when of ['before', 'after'] as const) {
    const acme = await anAcme()
    const [user] = await sql<{ id: string }[]>`select id from users where email = ${acme.email}`
    const caller = {
      kind: 'session',
      accountId: acme.accountId,
      userId: user?.id ?? '',
      role: 'owner',
    } as const
    const { context, died } = aMortalContext(system.context, { at: 1, when })
    expect(await Promise.race([closeOwnAccount(context, { caller, accountName: 'Acme' }), died])).toBe('died')
    const state = await stateOf(acme.accountId)
    const isClosed = when === 'after'
    expect(state).toEqual({ isClosed, links: Number(isClosed), jobs: Number(isClosed), credits })
    expect(await acme.surfaces()).toEqual(Array(4).fill(isClosed ? '403 account_closed' : 'ok'))
  }

  // A statement within the transaction fails, as on a full disk: nothing of it remains.
  await sql`create function refuse_done() returns trigger language plpgsql as $$ begin raise 'no disk'; end $$`
  const acme = await anAcme()
  await sql`create trigger refused before update on audit_log execute function refuse_done()`
  const failed = await close(acme.token, 'Acme')
  await sql`drop trigger refused on audit_log`
  expect(failed.status).toBe(500)
  expect(await stateOf(acme.accountId)).toEqual({ isClosed: false, links: 0, jobs: 0, credits })
  expect(await acme.surfaces()).toEqual(Array(4).fill('ok'))
})
