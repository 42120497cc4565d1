import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { associatedDataOfFullKey } from '../../domain/keys/key-text.ts'
import { type Config, readConfig } from '../../platform/config/read-config.ts'
import { startMailbox } from '../../simulators/mailbox/start-mailbox.ts'
import { startPaymentSimulator } from '../../simulators/payment/start-payment-simulator.ts'
import { aConfig, aSystem } from '../../test/harness/a-context.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { anEdgeBeforeControl } from '../../test/harness/an-edge.ts'
import { aBucket } from '../../test/harness/media/a-bucket.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { checkPostgres } from './check-postgres.ts'
import { listChecks, type Requested } from './list-checks.ts'
import { runChecks } from './run-checks.ts'
import { secretsOf } from './secrets-of.ts'

/** Runs all checks. Resolves to their summaries, the reasons why they were skipped, or their faults, by name. */
async function examine(
  config: Config,
  requested: Partial<Requested> = {},
): Promise<Record<string, string | string[]>> {
  const { checks, close } = listChecks(config, { vendors: false, mail: undefined, ...requested })
  const reports = await runChecks(checks, { timeoutMs: 40_000, secrets: secretsOf(config) })
  await close()
  return Object.fromEntries(
    reports.map(({ name, result }) => {
      if ('skipped' in result) return [name, `skipped: ${result.skipped}`]
      const faults = result.findings.map(({ fault }) => fault)
      return [name, faults.length > 0 ? faults : result.summary]
    }),
  )
}

test('a running installation passes every check; each failure is found beside the others', async () => {
  const [bucket, mailbox] = [forThisTest(await aBucket()), forThisTest(await startMailbox())]
  const processor = forThisTest(
    await startPaymentSimulator({
      key: 'sk_test_simulated_payments',
      webhookUrl: 'http://127.0.0.1:9/',
      webhookSecret: 'whsec_0123456789abcdef0123456789abcdef',
    }),
  )
  const system = forThisTest(
    await anEdgeBeforeControl({
      ...bucket.env,
      SMTP_URL: mailbox.smtpUrl,
      STRIPE_SECRET_KEY: processor.key,
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
      STRIPE_URL: processor.url,
      WORKER_PORT: '0',
    }),
  )
  forThisTest(await startWorker(system.config))
  const config = { ...system.config, baseUrl: system.edge.url, controlUrl: system.control.url }
  processor.sendTo(`${system.edge.url}/api/v1/webhooks/stripe`)

  const found = await examine(config, { vendors: true, mail: 'operator@example.com' })
  expect(found).toMatchObject({
    // The server of the tests runs without it.
    Postgres: ['fsync or full_page_writes is off: a crash can destroy the database'],
    migrations: 'all applied',
    partitions: 'request log covered for 6 days',
    processes: '1 edge, 1 worker',
    jobs: expect.stringMatching(/^(no|\d+) jobs? waiting or running$/),
    secrets: expect.stringMatching(/^\d+ stored secrets, pepper as stored$/),
    models: expect.stringMatching(/^\d+ active, of which the platform can call [1-9]\d*$/),
    Redis: expect.stringMatching(/^\d+\.\d+\.\d+, .* used, clock -?\d+ ms$/),
    storage: 'bucket media: written, read and deleted',
    mail: 'the server accepted a test e-mail to operator@example.com',
    Stripe: expect.stringMatching(/^the webhook endpoint receives \d+ types of events$/),
    BASE_URL: `${system.edge.url} is ready`,
    CONTROL_URL: `${system.control.url} is ready`,
    vendors: expect.stringMatching(/^\d+ credentials answered/),
  })
  expect(mailbox.mails.map(({ recipients }) => recipients)).toEqual([['operator@example.com']])

  const refusing = new SMTPServer({
    onAuth: (_auth, _session, callback) => callback(new Error('Invalid username or password')),
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
  })
  refusing.listen(0, '127.0.0.1')
  await once(refusing.server, 'listening')
  onTestFinished(() => new Promise<void>(resolve => refusing.close(resolve)))
  const [label = '', vendor] = [...config.vendors][0] ?? []
  const wrong = await examine(
    {
      ...config,
      redisUrl: 'redis://127.0.0.1:1',
      mediaBucketKeyId: 'wrong',
      smtpUrl: `smtp://rubicon:secret@127.0.0.1:${(refusing.server.address() as AddressInfo).port}`,
      stripeSecretKey: 'sk_test_another_key',
      baseUrl: `${mailbox.url}/x`,
      controlUrl: 'http://127.0.0.1:1',
      vendors: new Map([
        [label, { ...vendor, credentials: [{ name: 'default', apiKey: 'wrong', weight: 1 }] }],
      ]),
    },
    { vendors: true },
  )
  expect(wrong).toMatchObject({
    migrations: 'all applied',
    Redis: ['nothing answers at 127.0.0.1:1'],
    storage: [expect.stringMatching(/^Cannot write file .*: .*access key/i)],
    mail: [expect.stringMatching(/Invalid login|Invalid username/)],
    Stripe: [expect.stringMatching(/Invalid API Key/)],
    BASE_URL: [expect.stringMatching(/does not lead to an edge: \/readyz answers with 404$/)],
    CONTROL_URL: ['nothing answers at 127.0.0.1:1'],
    vendors: [expect.stringMatching(new RegExp(`^${label}/default fails with 401 for ${label}/`))],
  })

  processor.sendTo('http://127.0.0.1:9/')
  expect(await examine({ ...config, databaseUrl: 'postgres://postgres@127.0.0.1:1/none' })).toMatchObject({
    Postgres: ['DATABASE_URL: nothing answers at 127.0.0.1:1'],
    migrations: 'skipped: it needs Postgres',
    jobs: 'skipped: it needs Postgres',
    Redis: expect.stringContaining('used'),
    Stripe: [expect.stringMatching(/^Stripe has no webhook endpoint at /)],
  })
})

test('faults in the database: partitions, jobs, chores, secrets, and a missing migration', async () => {
  const system = forThisTest(await aSystem())
  const { sql } = system.context
  const { accountId, keyId, text } = await aKeyWithCredits(system.context)
  const sealed = system.context.vault.seal(text, associatedDataOfFullKey(accountId, keyId))
  await sql`update api_keys set full_key_sealed = ${sealed}`
  const [partition] = await sql<{ name: string }[]>`
    select 'request_logs_' || to_char((now() at time zone 'UTC')::date + 2, 'YYYYMMDD') as name`
  const day = partition!.name
  await sql`drop table ${sql(day)}`
  await sql`select graphile_worker.add_job('send-callback', run_at := now() - interval '7 minutes')`
  await sql`select graphile_worker.add_job('send-link', max_attempts := 1) from generate_series(1, 2)`
  await sql`
    select graphile_worker.permanently_fail_jobs(array(
      select id from graphile_worker.jobs where task_identifier = 'send-link'), 'no answer')`
  await sql`
    insert into workers (id) values ('worker-1')`
  await sql`
    insert into chores (name, worker, due_at)
    values ('recover-tasks', gen_random_uuid(), now() - interval '1 hour')`
  const otherKeys = readConfig({
    MASTER_KEYS: `new=${Buffer.alloc(32, 'n').toString('base64')},dev=${Buffer.alloc(32, 'o').toString('base64')}`,
  }).masterKeys

  expect(await examine({ ...system.config, masterKeys: otherKeys })).toMatchObject({
    partitions: [`the request log has no partition ${day}`],
    jobs: ['2 jobs send-link failed for good', '1 job send-callback due for up to 7 minutes'],
    processes: ['no edge is running', '1 chore due for more than 5 minutes, first recover-tasks'],
    secrets: [expect.stringMatching(/^MASTER_KEYS decrypts not all stored secrets, at least 1 of 1$/)],
    models: ['the catalogue has no active model'],
  })
  const rotated = new Map([['new', Buffer.alloc(32, 'n').toString('base64')], ...system.config.masterKeys])
  expect(await examine({ ...system.config, masterKeys: rotated })).toMatchObject({
    secrets: [expect.stringMatching(/^1 stored secrets are encrypted with an older master key$/)],
  })
  await sql`insert into pepper (check_value) values ('\\x00') on conflict do nothing`
  expect(await examine(system.config)).toMatchObject({
    secrets: [
      expect.stringMatching(/^KEY_PEPPER: the API keys in the database were created under another pepper/),
    ],
  })

  await sql`delete from migrations where name = (select max(name) from migrations)`
  expect(await examine(system.config)).toMatchObject({
    migrations: [expect.stringMatching(/^1 migration pending, first \d+/)],
    jobs: 'skipped: it needs the tables of this version',
  })
  await sql`update migrations set sha256 = 'x' where name like '0001%'`
  expect(await examine(system.config)).toMatchObject({
    migrations: [expect.stringMatching(/^the migration 0001-accounts\.sql has changed/)],
  })
})

test('a log-in role that acts as another one must see its own sessions', async () => {
  const { sql, url } = await aDatabaseForThisTest()
  const owner = `owner_${randomBytes(6).toString('hex')}`
  const login = `login_${owner}`
  await sql.unsafe(`create role ${owner}`)
  await sql.unsafe(`create role ${login} login password 'of-this-test' in role ${owner}`)
  await sql.unsafe(`alter role ${login} set role ${owner}`)
  onTestFinished(async () => {
    await sql.unsafe(`drop role ${login}, ${owner}`)
  })
  const address = new URL(url)
  address.username = login
  address.password = 'of-this-test'
  const config = aConfig({ DATABASE_URL: address.toString() })
  const blind = {
    fault: `the role ${owner} does not see its own sessions: after a restart of Postgres, living workers can be declared dead`,
    remedy: `Run grant pg_read_all_stats to ${owner}.`,
  }
  expect(await checkPostgres(config)).toMatchObject({ findings: expect.arrayContaining([blind]) })
  await sql.unsafe(`grant pg_read_all_stats to ${owner}`)
  expect(await checkPostgres(config)).toMatchObject({ findings: expect.not.arrayContaining([blind]) })
})
