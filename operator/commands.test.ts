import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, inject, onTestFinished, test } from 'vitest'
import { findOperator } from '../domain/callers/operators.ts'
import { readConfig } from '../platform/config/read-config.ts'
import { aSystem } from '../test/harness/a-context.ts'
import { aDatabaseForThisTest } from '../test/harness/a-database.ts'
import { aKeyWithCredits, anAccount } from '../test/harness/an-account.ts'
import { aSettledRequest } from '../test/harness/ledger/a-settled-request.ts'
import { forThisTest } from '../test/harness/per-file.ts'

const checkout = join(import.meta.dirname, '..')

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(checkout, 'package.json'), 'utf8'),
)

/** What an npm script runs, without npm. */
function run(
  script: string,
  args: string[] = [],
  settings: Record<string, string> = {},
): Promise<{ code: unknown; out: string; fault: string }> {
  const [node, ...command] = scripts[script]?.split(' ') ?? []
  expect(node).toBe('node')
  return runNode([...command, ...args], settings)
}

function runNode(
  args: string[],
  settings: Record<string, string> = {},
): Promise<{ code: unknown; out: string; fault: string }> {
  // What vitest sets besides, such as BASE_URL, is no setting of ours.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...settings }
  return new Promise(resolve => {
    execFile(process.execPath, args, { cwd: checkout, env }, (error, out, fault) =>
      resolve({ code: error?.code ?? 0, out, fault }),
    )
  })
}

/** Returns the URL of the file that an npm script runs. */
function entryOf(script: string): string {
  return pathToFileURL(join(checkout, scripts[script]?.split(' ').at(-1) ?? '')).href
}

/** What each is given besides. */
const someWords: Record<string, string[]> = {
  'account:close': '--account 0190a8c0-0000-7000-8000-000000000001 a reason'.split(' '),
  'account:create': ['somebody@example.com'],
  'account:credit': ['somebody@example.com', '5', 'a gift'],
  'account:limit': '--account 0190a8c0-0000-7000-8000-000000000001 --resource requests --default'.split(' '),
}
const plain = [
  'migrate',
  'catalog:apply',
  'secrets:rotate',
  'pepper:rotate',
  'signing-key:rotate',
  'reconcile',
]
const onDatabase = [...plain, ...Object.keys(someWords)]
const wordsOf = (script: string) => someWords[script] ?? []

test('npm run … -- --help of every command says what it does, and does nothing', async () => {
  const commands = [...onDatabase, 'catalog:import', 'doctor', 'env:example', 'graph', 'operator:key']
  // One process runs all of them: each would load much of the same code.
  const program = `
    process.argv = [process.argv[0], '', '--help']
    for (const entry of ${JSON.stringify(commands.map(entryOf))}) {
      await import(entry)
      process.stdout.write('\\0')
    }`
  const { code, out, fault } = await runNode(['--import', 'tsx', '--input-type=module', '--eval', program])
  expect([code, fault]).toEqual([0, ''])
  const texts = out.split('\0')
  for (const [index, script] of commands.entries()) expect(texts[index]).toContain(`npm run ${script}`)
}, 60_000)

test.each(onDatabase.filter(script => script !== 'signing-key:rotate'))(
  'npm run %s reaches its database as all do',
  script => {
    const file = scripts[script]?.split(' ')[1] ?? ''
    const source = readFileSync(join(checkout, file), 'utf8')
    expect(source).toMatch(
      /const addresses = \[directAddress\(config\), |(with|require)Postgres\(\{ \.\.\.(direct|pooled)Address\(config\), name: (name|'[a-z:-]+') \}/,
    )
  },
)

test.each(['migrate', 'signing-key:rotate', 'account:create'])(
  'npm run %s names DATABASE_URL where nothing answers',
  async script => {
    const dead = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' }
    expect(await run(script, wordsOf(script), dead)).toEqual({
      code: 1,
      out: '',
      fault: `${script}: DATABASE_URL: nothing answers at 127.0.0.1:1\n`,
    })
  },
  30_000,
)

test.each(['catalog:apply', 'signing-key:rotate'])(
  'npm run %s says that the database was not migrated',
  async script => {
    const empty = new URL(inject('postgresUrl'))
    empty.pathname = '/postgres'
    expect(await run(script, wordsOf(script), { DATABASE_URL: empty.toString() })).toEqual({
      code: 1,
      out: '',
      fault: expect.stringMatching(new RegExp(`^${script}: DATABASE_URL: [^\\n]*npm run migrate\\n$`)),
    })
  },
  30_000,
)

test('catalog:apply warns about vendors without a credential of the platform', async () => {
  const given = { VENDOR_D_API_KEY: 'its', VENDOR_A_API_KEY: 'ours' }
  const { code, fault } = await run('catalog:apply', ['--check'], given)
  expect(code).toBe(0)
  expect(fault).toMatch(
    /^warning: VENDOR_D_BASE_URL is not set: the platform cannot call \d+ models? of vendor_d/m,
  )
  expect(fault).toMatch(/^warning: VENDOR_B_API_KEY is not set/m)
  expect(fault).not.toMatch(/VENDOR_A_/)
}, 30_000)

test('a catalogue that is not there is one line', async () => {
  expect(await run('catalog:apply', ['/nowhere'])).toEqual({
    code: 1,
    out: '',
    fault: 'catalog:apply: there is nothing at /nowhere\n',
  })
}, 30_000)

test('an account gets its own limit of a resource, and loses it again; a wrong word is one line', async () => {
  const system = forThisTest(await aSystem())
  const { accountId } = await anAccount(system.context)
  const limit = (...args: string[]) =>
    run('account:limit', ['--resource', 'key_requests', ...args], { DATABASE_URL: system.config.databaseUrl })
  const shareOf = async () =>
    (await system.context.sql`select allowances from accounts where id = ${accountId}`)[0]?.allowances

  expect(await limit('--account', accountId, '--limit', '7')).toMatchObject({
    code: 0,
    out: 'key_requests: 7 requests\n',
  })
  expect(await shareOf()).toEqual({ key_requests: 7 })
  expect(await limit('--account', accountId, '--default')).toMatchObject({ code: 0 })
  expect(await shareOf()).toEqual({})

  const faults = await Promise.all([
    limit('--account', accountId),
    limit('--account', accountId, '--limit', '-1'),
    limit('--limit', '7'),
    limit('--account', 'x', '--default'),
  ])
  expect(faults.map(({ code, fault }) => [code, fault])).toEqual([
    [1, 'account:limit: give either --limit or --default: see --help\n'],
    [1, 'account:limit: --limit must be a whole number from 0 to 1000000000000000\n'],
    [1, 'account:limit: --account must be the ID of an account: see --help\n'],
    [1, 'account:limit: There is no account x.\n'],
  ])
}, 60_000)

test('session tokens are signed with a new key, and the old one is retired', async () => {
  const system = forThisTest(await aSystem())
  const settings = { DATABASE_URL: system.config.databaseUrl }
  const keys = () =>
    system.context.sql`select id, retired_at is null as signs from signing_keys order by created_at`
  for (let turn = 1; turn <= 2; turn++) {
    const { code, out } = await run('signing-key:rotate', [], settings)
    expect([code, out]).toEqual([0, expect.stringMatching(/^session tokens are signed with \w{16} /)])
  }
  expect((await keys()).map(({ signs }) => signs)).toEqual([false, true])
}, 60_000)

test('npm run reconcile names each difference and ends with 1; with right books it ends with 0', async () => {
  const system = forThisTest(await aSystem())
  const { sql } = system.context
  const { accountId } = await anAccount(system.context)
  await anAccount(system.context)
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-media-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const settings = { DATABASE_URL: system.config.databaseUrl, MEDIA_FOLDER: folder }
  const reconcile = (...words: string[]) => run('reconcile', words, settings)
  expect(await reconcile()).toEqual({ code: 0, out: '2 accounts, no differences\n', fault: '' })
  await sql`update balances set credits_nanos = credits_nanos + 1500000000 where account_id = ${accountId}`
  await sql`update balances set held_nanos = 5000000000 where account_id = ${accountId}`
  const credits = `${accountId}: credits differ from transactions: expected $100, found $101.5\n`
  const held = `${accountId}: held differs from holds: expected $0, found $5`
  expect(await reconcile()).toEqual({
    code: 1,
    out: `${credits}${held}\n2 accounts, 2 differences\n`,
    fault: '',
  })
  expect(await reconcile('--repair')).toEqual({
    code: 1,
    out: `${credits}${held}, repaired\n2 accounts, 1 difference\n`,
    fault: '',
  })
  await sql`update balances set credits_nanos = credits_nanos - 1500000000 where account_id = ${accountId}`
  await sql`
    insert into media_files (account_id, id, name, kind, content_type, bytes, created_at, stored_at, expires_at)
    values (${accountId}, 'media_1', 'results/a.png', 'result', 'image/png', 5, now(), now(), now() + interval '1 day')`
  expect(await reconcile('--repair')).toEqual({
    code: 1,
    out: `2 accounts, no differences
media results/a.png: a stored file is missing
No stored file was found: check MEDIA_FOLDER and MEDIA_S3_BUCKET. No media is repaired.
`,
    fault: '',
  })
  await sql`
    update media_files set created_at = now() - interval '9 days', expires_at = now() - interval '2 days'`
  const late = 'media results/a.png: a file is past its retention'
  await sql.begin(async transaction => {
    await transaction`select from media_files for update` // the command skips locked rows
    const { code, out } = await reconcile('--repair')
    expect([code, out]).toEqual([1, `2 accounts, no differences\n${late}\n`])
  })
  const { code, out } = await reconcile('--repair')
  expect([code, out]).toEqual([0, `2 accounts, no differences\n${late}, repaired\n`])
}, 60_000)

test('npm run migrate copies the log to a log database, which npm run reconcile compares and repairs', async () => {
  const system = forThisTest(await aSystem())
  const { sql: logs, url } = await aDatabaseForThisTest()
  const { sql } = system.context
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const createdAt = new Date(Date.now() - 2 * 3_600_000)
  await aSettledRequest(sql, { accountId, keyId, createdAt, costNanos: 5_000_000_000n })
  const main = { DATABASE_URL: system.config.databaseUrl }
  const settings = { ...main, LOG_DATABASE_URL: url }
  const copied = { code: 0, out: 'copied 1 requests to LOG_DATABASE_URL\n', fault: '' }
  expect(await run('migrate', [], settings)).toEqual(copied)
  const upToDate = { code: 0, out: 'nothing to apply: the database is up to date\n', fault: '' }
  expect(await run('migrate', [], settings)).toEqual(upToDate)
  expect(await run('reconcile', [], main)).toMatchObject({
    code: 1,
    fault: expect.stringMatching(/^reconcile: LOG_DATABASE_URL is not set, [^\n]*\n$/),
  })
  expect(await run('reconcile', [], settings)).toMatchObject({ code: 0, out: '1 account, no differences\n' })
  await logs`delete from request_logs`
  const difference = new RegExp(
    `^${accountId}: the log database differs from the charges of .* to .*: expected \\$5, found \\$0, repaired$`,
    'm',
  )
  const { code, out } = await run('reconcile', ['--repair'], settings)
  expect([code, out]).toEqual([0, expect.stringMatching(difference)])
  expect((await logs`select from request_logs`).count).toBe(1)
}, 60_000)

test('npm run operator:key prints a key, and a line of OPERATOR_KEYS that knows it', async () => {
  const { code, out } = await run('operator:key', ['ada'])
  const [, key = '', setting = ''] = /^(sk-rb-op-\w{48})$[\s\S]*^(ada=[0-9a-f]{64})$/m.exec(out) ?? []
  expect(code).toBe(0)
  const config = readConfig({ OPERATOR_KEYS: setting })
  expect(findOperator(config, { key, address: '' })).toMatchObject({ name: 'ada' })
  expect((await run('operator:key', ['a b'])).code).toBe(1)
}, 30_000)

test('npm run doctor reports each fault in one line with its remedy, prints no secret, and ends with 1', async () => {
  const system = forThisTest(await aSystem())
  const { code, out, fault } = await run('doctor', [], {
    DATABASE_URL: system.config.databaseUrl,
    REDIS_URL: 'redis://:a-redis-password@127.0.0.1:1',
    KEY_PEPPER: 'a pepper of a test, which is secret',
    MEDIA_FOLDER: 'none',
    BASE_URL: 'http://127.0.0.1:1',
  })
  expect([code, fault]).toEqual([1, ''])
  expect(out).toMatch(/^ok +migrations +all applied$/m)
  expect(out).toMatch(/^skipped +storage +MEDIA_FOLDER is none/m)
  expect(out).toMatch(/^finding +settings +NODE_ENV is not set.*\. Set NODE_ENV=production\.$/m)
  expect(out).toMatch(/^finding +Redis +nothing answers at 127\.0\.0\.1:1\. Correct REDIS_URL/m)
  expect(out).toMatch(/^15 checks, \d+ findings$/m)
  expect(out).not.toMatch(/a-redis-password|which is secret/)

  const invalid = await run('doctor', [], { EDGE_PORT: 'many' })
  expect(invalid.code).toBe(1)
  expect(invalid.out).toMatch(/^finding +settings +EDGE_PORT must be .*$/m)
  expect(invalid.out).toMatch(/\nThe other checks need valid settings\.\n$/)
}, 60_000)
