import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { revisionName } from '../domain/rates/rate-script.ts'
import { aControlPlane } from '../test/harness/a-control-plane.ts'
import { anAccount, anApiKey } from '../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../test/harness/invariants.ts'
import { perFile } from '../test/harness/per-file.ts'

const dollar = 1_000_000_000n

const control = perFile(() => aControlPlane({ SIGN_UP: 'closed' }))

/** A command on the database of the control plane, with what its standard input says. */
function run(
  entry: string,
  args: string[],
  input = '',
): Promise<{ code: unknown; out: string; fault: string }> {
  return new Promise(resolve => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL, redisPrefix: REDIS_PREFIX } = control.config
    const child = execFile(
      process.execPath,
      [`operator/${entry}`, ...args],
      { env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL, REDIS_URL, REDIS_PREFIX } },
      (error, out, fault) => resolve({ code: error?.code ?? 0, out, fault }),
    )
    child.stdin?.end(input)
  })
}

const create = (args: string[], input?: string) => run('create-account.ts', args, input)
const credit = (...args: string[]) => run('credit-account.ts', args)
const logIn = (email: string, password: string) =>
  control.rest('POST', '/auth/log-in', { body: { email, password } })

test('while sign-up is closed, over REST and in the graph alike, operators open accounts', async () => {
  const body = { email: 'somebody@example.com', password: 'correct horse' }
  const rest = await control.rest('POST', '/auth/sign-up', { body })
  expect([rest.status, rest.body.error.code]).toEqual([403, 'sign_up_closed'])
  const { errors } = await control.graph(
    'mutation ($input: SignUpInput!) { signUp(input: $input) { session { accessToken } } }',
    { variables: { input: body } },
  )
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', problem: 'sign_up_closed' })
  expect(await control.database.sql`select 1 from users where email = ${body.email}`).toHaveLength(0)

  const [drawn, chosen] = await Promise.all([
    create(['Ann@Example.com']),
    create(['bea@example.com', '--name', 'Bea & Co', '--password-stdin'], 'her own password\n'),
  ])
  const [, password = ''] =
    /^account \S+, log-in ann@example\.com\npassword (\w{24})\n$/.exec(drawn.out) ?? []
  expect((await logIn('ann@example.com', password)).status).toBe(200)
  expect(chosen.out).toMatch(/^account \S+, log-in bea@example\.com\n$/)
  const session = await logIn('bea@example.com', 'her own password')
  expect(session.body.account.name).toBe('Bea & Co')

  const faults = await Promise.all([create(['ann@example.com']), create(['nobody']), create([])])
  expect(faults).toMatchObject([
    { code: 1, fault: 'account:create: An account with this e-mail address already exists.\n' },
    { code: 1, fault: 'account:create: email must be an e-mail address.\n' },
    { code: 1, fault: 'account:create: give EMAIL: see --help\n' },
  ])
}, 60_000)

test('money by hand: once per id, with its reason in the books, and never what is held', async () => {
  const { sql } = control.database
  const [owner] = await Promise.all([create(['cleo@example.com'])])
  const [, accountId = ''] = /^account (\S+),/.exec(owner.out) ?? []

  const first = await credit('CLEO@example.com', '25.5', 'paid', 'by', 'bank', '--id', 'invoice-7')
  expect(first).toMatchObject({
    code: 0,
    fault: '',
    out: expect.stringContaining('credits $25.5, held $0\n'),
  })
  const [again, otherAmount, debit, tooMuch] = [
    await credit('cleo@example.com', '25.5', 'paid by bank', '--id', 'invoice-7'),
    await credit('cleo@example.com', '26', 'paid by bank', '--id', 'invoice-7'),
    await credit('cleo@example.com', '-5', 'a mistake'),
    await credit('cleo@example.com', '-20.500000001', 'all of it'),
  ]
  expect(again.out).toContain('nothing changed: this id was booked before')
  expect(otherAmount.fault).toBe('account:credit: This ID was already used with another amount: $25.5.\n')
  expect(debit.out).toContain('credits $20.5, held $0\n')
  expect(tooMuch).toMatchObject({
    code: 1,
    fault: 'account:credit: At most $20.5 can be removed: $0 of $20.5 is held for requests.\n',
  })
  expect(
    await sql`
      select payment_method as method, credits_nanos as nanos, reason, status from transactions
      where account_id = ${accountId} order by id`,
  ).toEqual([
    { method: 'grant', nanos: 25_500_000_000n, reason: 'paid by bank', status: 'completed' },
    { method: 'adjustment', nanos: -5n * dollar, reason: 'a mistake', status: 'completed' },
  ])
  await expectLedgerToBalance(sql)

  const faults = await Promise.all([
    credit('cleo@example.com', '5'),
    credit('cleo@example.com', 'five', 'x'),
    credit('cleo@example.com', '0', 'x'),
    credit('cleo@example.com', '1000000.01', 'x'),
    credit('nobody@example.com', '5', 'x'),
    credit('cleo@example.com', '5', 'x', '--id', 'a b'),
  ])
  const amount =
    'DOLLARS must be an amount other than 0, at most 1000000 either way, with at most nine decimals'
  expect(faults.map(({ code, fault }) => [code, fault])).toEqual([
    [1, 'account:credit: give ACCOUNT, DOLLARS and REASON: see --help\n'],
    [1, `account:credit: ${amount}\n`],
    [1, `account:credit: ${amount}\n`],
    [1, `account:credit: ${amount}\n`],
    [1, 'account:credit: There is no account of nobody@example.com.\n'],
    [1, 'account:credit: --id must be 1 to 100 visible characters without spaces\n'],
  ])
}, 60_000)

test("a change of credits by hand raises the revisions of the account's keys, so that no process uses an old copy", async () => {
  const { context } = control
  const owner = await create(['dora@example.com'])
  const [, accountId = ''] = /^account (\S+),/.exec(owner.out) ?? []
  const { keyId } = await anApiKey(context, { accountId })
  const name = revisionName(control.config.redisPrefix, accountId, keyId)
  await credit('dora@example.com', '5', 'a gift')
  expect(await context.redis.get(name)).toBe('2')
  await credit('dora@example.com', '-5', 'a mistake')
  expect(await context.redis.get(name)).toBe('3')
  expect(await context.sql`select revision from api_keys where id = ${keyId}`).toEqual([{ revision: 3n }])
}, 60_000)

test('account:close closes an account with its reason, names what is left, and reopens it', async () => {
  const { accountId } = await anAccount(control.context, { creditNanos: 12_500_000_000n })
  const close = (...args: string[]) => run('close-account.ts', ['--account', accountId, ...args])
  const closed = await close('asked', 'by', 'phone')
  expect([closed.code, closed.fault]).toEqual([0, ''])
  expect(closed.out).toMatch(
    /^test \(\S+\): closed, its data are deleted from \S+Z on\ncredits \$12\.5, held \$0\n$/,
  )
  expect((await close('--reopen', 'a mistake')).out).toContain(`test (${accountId}): open\n`)
  expect(await close('--reopen', 'again')).toMatchObject({
    code: 1,
    fault: 'account:close: The account is not closed.\n',
  })
  expect(await close()).toMatchObject({ code: 1 })
  const log = await control.context.sql`
    select action, actor_id, state, reason from audit_log where account_id = ${accountId} order by id`
  expect([...log]).toEqual([
    { action: 'closeAccount', actor_id: 'command line', state: 'done', reason: 'asked by phone' },
    { action: 'reopenAccount', actor_id: 'command line', state: 'done', reason: 'a mistake' },
  ])
}, 60_000)
