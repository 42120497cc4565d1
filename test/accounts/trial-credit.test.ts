import { afterEach, expect, test } from 'vitest'
import { linkToken } from '../../domain/accounts/mailed-links.ts'
import { standingOf } from '../../domain/allowances/standing.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { anAccountSystem } from './an-account-system.ts'

const system = perFile(() => anAccountSystem({ TRIAL_CREDIT: '2.5' }))
afterEach(() => expectLedgerToBalance(system.context.sql))

let addresses = 0
const anAddress = () => `203.0.113.${++addresses}`

async function signUp(email: string, address = anAddress()) {
  const headers = { 'x-forwarded-for': address }
  const body = { email, password: 'correct horse' }
  const answer = await system.rest('POST', '/auth/sign-up', { body, headers })
  expect(answer.status).toBe(201)
  const [link] = await system.context.sql<{ id: string }[]>`
    select id from mailed_links where email = ${email} and used_at is null order by created_at desc limit 1`
  const token = linkToken(system.config, { id: link?.id ?? '', purpose: 'confirm_email' })
  return {
    accountId: String(answer.body.account.id),
    session: String(answer.body.access_token),
    confirm: () => system.rest('POST', '/auth/confirm-email', { body: { token }, headers }),
  }
}

async function creditsOf(session: string): Promise<number> {
  return (await system.rest('GET', '/billing/balance', { token: session })).body.credits
}

test('the first confirmation grants it; the account still counts as one that never paid', async () => {
  const { accountId, session, confirm } = await signUp('ada@example.com')
  expect(await creditsOf(session)).toBe(0)
  expect((await confirm()).status).toBe(200)
  expect(await creditsOf(session)).toBe(2.5)
  expect((await confirm()).status).toBe(400)
  const { body } = await system.rest('GET', '/billing/transactions', { token: session })
  expect(body.data).toMatchObject([{ credits: 2.5, payment_method: 'trial', status: 'completed' }])
  expect(await standingOf(system.context.allowances, accountId)).toMatchObject({ isPaying: false })
})

test('another address of the same mailbox gets none, also after the account was deleted', async () => {
  await (await signUp('grace.hopper@gmail.com')).confirm()
  await system.context
    .sql`update users set email = 'erased@example.com' where email = 'grace.hopper@gmail.com'`
  for (const email of [
    'gracehopper+2@gmail.com',
    'g.r.a.c.e.hopper@googlemail.com',
    'grace.hopper@gmail.com',
  ]) {
    const { session, confirm } = await signUp(email)
    expect((await confirm()).status).toBe(200)
    expect(await creditsOf(session), email).toBe(0)
  }
})

test('concurrent confirmations of one mailbox grant one', async () => {
  const people = await Promise.all([1, 2, 3, 4, 5].map(tag => signUp(`joan+${tag}@example.com`)))
  await Promise.all(people.map(({ confirm }) => confirm()))
  const credits = await Promise.all(people.map(({ session }) => creditsOf(session)))
  expect(credits.toSorted()).toEqual([0, 0, 0, 0, 2.5])
})

test('a network gets five per day; a sixth person is confirmed without one', async () => {
  const address = anAddress()
  const credits: number[] = []
  for (let turn = 0; turn < 6; turn++) {
    const { session, confirm } = await signUp(`person-${turn}@example.com`, address)
    expect((await confirm()).status).toBe(200)
    credits.push(await creditsOf(session))
  }
  expect(credits).toEqual([2.5, 2.5, 2.5, 2.5, 2.5, 0])
})

test('a mail domain gets twenty per 30 days, from whichever networks; other domains are not affected', async () => {
  const person = async (email: string) => {
    const { session, confirm } = await signUp(email)
    expect((await confirm()).status).toBe(200)
    return creditsOf(session)
  }
  const caught = Array.from({ length: 20 }, (_, turn) =>
    person(`catch-${turn}@sub-${turn}.catch-all.example`),
  )
  expect(new Set(await Promise.all(caught))).toEqual(new Set([2.5]))
  expect(await person('one-more@catch-all.example')).toBe(0)
  expect(await person('other@other.example')).toBe(2.5)
}, 60_000)

test('a person who gets none takes nothing from the limit of the network', async () => {
  const address = anAddress()
  await (await signUp('rosa@example.org')).confirm()
  for (let turn = 0; turn < 5; turn++) await (await signUp(`rosa+${turn}@example.org`, address)).confirm()
  const { session, confirm } = await signUp('emmy@example.org', address)
  await confirm()
  expect(await creditsOf(session)).toBe(2.5)
})

test('if the connection breaks after the grant, neither it nor the confirmation is there, and the link still works', async () => {
  const { sql } = system.context
  const { session, confirm } = await signUp('ida@example.com')
  await sql.unsafe(`
    create function die() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return new; end $$;
    create trigger die after insert on transactions for each row execute function die()`)
  expect((await confirm()).status).toBeGreaterThanOrEqual(500)
  await sql.unsafe('drop trigger die on transactions; drop function die()')
  expect(await creditsOf(session)).toBe(0)
  const [grants] = await sql`select count(*)::int as count from users where email = 'ida@example.com'
    and email_confirmed_at is not null`
  expect(grants).toEqual({ count: 0 })
  expect((await confirm()).status).toBe(200)
  expect(await creditsOf(session)).toBe(2.5)
})
