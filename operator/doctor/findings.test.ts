import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { paymentEventTypes } from '../../domain/billing/parse-event.ts'
import { inspectConfig } from '../../platform/config/read-config.ts'
import { Secrets } from '../../platform/secrets/redact-secrets.ts'
import type { Result } from './check.ts'
import { faultsOf } from './check-redis.ts'
import { checkSettings } from './check-settings.ts'
import { endpointFindings } from './check-stripe.ts'
import { skewFindings } from './clock-skew.ts'
import { countFindings, printReport } from './print-report.ts'
import { runChecks } from './run-checks.ts'
import { secretsOf } from './secrets-of.ts'

const faults = (result: Result) =>
  'findings' in result ? result.findings.map(({ fault }) => fault) : undefined

const safe = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://rubicon:database-password@db.example.com/rubicon',
  REDIS_URL: 'redis://:redis-password@redis.example.com',
  SUBGRAPH_SECRET: 'a secret of 24 characters or more',
  MASTER_KEYS: `1=${Buffer.alloc(32, 'master').toString('base64')}`,
  KEY_PEPPER: 'a pepper of 24 characters or more',
  MEDIA_S3_BUCKET: 'media',
  MEDIA_URL: 'https://gateway.example.com/media',
  SMTP_URL: 'smtps://rubicon:mail-password@mail.example.com',
  MAIL_FROM: 'Rubicon <alerts@example.com>',
  BASE_URL: 'https://gateway.example.com',
  TRUSTED_PROXIES: '10.0.0.0/8',
  VENDOR_A_API_KEY: 'sk-vendor-key-of-vendor-a',
}
const settingsWith = (changes: Record<string, string>) =>
  faults(
    checkSettings(
      changes.NODE_ENV ?? 'production',
      inspectConfig({ ...safe, ...changes, NODE_ENV: 'production' }),
    ),
  )

test('safe settings have no finding', () => expect(settingsWith({})).toEqual([]))

test.each<[changes: Record<string, string>, ...faults: RegExp[]]>([
  [{ NODE_ENV: 'development' }, /^NODE_ENV is development/],
  [{ KEY_PEPPER: '', MASTER_KEYS: '' }, /^MASTER_KEYS must be set/, /^KEY_PEPPER must be set/],
  [
    { SUBGRAPH_SECRET: 'development-subgraph-secret-0000' },
    /^SUBGRAPH_SECRET must not be the development default/,
  ],
  [{ BASE_URL: 'http://gateway.example.com' }, /^BASE_URL is not https/],
  [{ TRUSTED_PROXIES: '' }, /^TRUSTED_PROXIES is empty/],
  [{ TRUSTED_PROXIES: '10.0.0.1,::/0' }, /^TRUSTED_PROXIES contains every address/],
  [
    { STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123' },
    /^STRIPE_SECRET_KEY is a test key/,
  ],
  [{ FOREIGN_JWKS_URL: 'https://id.example.com/keys' }, /^FOREIGN_AUDIENCE is empty/],
  [{ VENDOR_A_API_KEY: '' }, /^no vendor has a credential/],
  [{ EDGE_PORT: 'many', HOST: '' }, /^EDGE_PORT must be/],
])('unsafe settings are found: %j', (changes, ...expected) => {
  expect(settingsWith(changes)).toEqual(expected.map(line => expect.stringMatching(line)))
})

test.each([
  [5_000, 5_040, 5_020, undefined],
  [5_000, 5_040, 7_000, undefined],
  [5_000, 5_040, 7_100, 'the clock of Redis is 2.1 s ahead of the clock of this machine'],
  [5_000, 5_040, 0, 'the clock of Redis is 5.0 s behind the clock of this machine'],
  [0, 9_000, 0, undefined], // the slow answer explains it
  [0, 9_000, 20_000, 'the clock of Redis is 15.5 s ahead of the clock of this machine'],
])('clocks: sent at %d, received at %d, the server says %d: %s', (sentAt, receivedAt, serverAt, fault) => {
  expect(skewFindings('Redis', { sentAt, receivedAt, serverAt })[0]?.fault).toBe(fault)
})

const healthyRedis = {
  redis_version: '7.0.15',
  role: 'master',
  cluster_enabled: '0',
  used_memory: '900',
  maxmemory: '0',
  maxmemory_policy: 'allkeys-lru',
  rdb_last_bgsave_status: 'ok',
  aof_last_write_status: 'ok',
  connected_clients: '5',
  maxclients: '10000',
}

test.each<[fields: Record<string, string>, fault: string | undefined]>([
  [{}, undefined],
  [{ maxmemory: '1000' }, 'maxmemory-policy is allkeys-lru: evicted counters let clients exceed their rates'],
  [{ maxmemory: '10000', maxmemory_policy: 'noeviction' }, undefined],
  [
    { maxmemory: '950', maxmemory_policy: 'noeviction' },
    '95 % of maxmemory are in use: beyond it, each process counts rates by itself',
  ],
  [{ redis_version: '6.2.1' }, 'the server has version 6.2.1'],
  [{ role: 'slave' }, 'the server is a replica and accepts no writes'],
  [{ cluster_enabled: '1' }, 'the server is part of a cluster'],
  [{ rdb_last_bgsave_status: 'err' }, 'the server cannot save to its disk, and then refuses writes'],
  [{ connected_clients: '9500' }, '9500 of 10000 connections are in use'],
])('Redis with %j: %s', (fields, fault) => {
  const state = new Map(Object.entries({ ...healthyRedis, ...fields }))
  expect(faultsOf(state, { redisCluster: false })[0]?.fault).toBe(fault)
})

test('the webhook endpoint at Stripe must exist, be enabled, and receive every event', () => {
  const url = 'https://gateway.example.com/api/v1/webhooks/stripe'
  const endpoint = { url, status: 'enabled', enabled_events: ['*'] }
  const other = { ...endpoint, url: 'https://other.example.com/' }
  const [first = '', ...rest] = paymentEventTypes
  const findings = (...endpoints: (typeof endpoint)[]) =>
    endpointFindings(endpoints, url).map(({ fault }) => fault)
  expect(findings(other, endpoint)).toEqual([])
  expect(findings({ ...endpoint, enabled_events: [...paymentEventTypes] })).toEqual([])
  expect(findings(other)).toEqual([expect.stringContaining(`no webhook endpoint at ${url}`)])
  expect(findings({ ...endpoint, status: 'disabled' })).toEqual([expect.stringContaining('is disabled')])
  expect(findings({ ...endpoint, enabled_events: rest })).toEqual([
    `the webhook endpoint does not receive ${first}`,
  ])
})

test('a check that hangs or fails hides no other one', async () => {
  const remedy = 'Repair it.'
  const reports = await runChecks(
    [
      { name: 'hanging', remedy, run: () => new Promise(() => {}) },
      {
        name: 'failing',
        remedy,
        run: () => Promise.reject(new Error('it broke', { cause: new Error('no key') })),
      },
      { name: 'passing', remedy, run: async () => ({ findings: [], summary: 'fine' }) },
      { name: 'idle', remedy, run: async () => ({ skipped: 'not configured' }) },
    ],
    { timeoutMs: 50, secrets: new Secrets([]) },
  )
  expect(countFindings(reports)).toBe(2)
  expect(printReport(reports)).toEqual([
    'ok       passing  fine',
    'skipped  idle     not configured',
    'finding  hanging  no answer within 50 ms. Repair it.',
    'finding  failing  it broke: no key. Repair it.',
    '4 checks, 2 findings',
  ])
})

test('a pause of this process does not count as silence of a server', async () => {
  const run = async () => {
    await sleep(10)
    for (const since = performance.now(); performance.now() - since < 300; );
    await sleep(10)
    return { findings: [], summary: 'answered' }
  }
  const [report] = await runChecks([{ name: 'slow', remedy: '', run }], {
    timeoutMs: 200,
    secrets: new Secrets([]),
  })
  expect(report?.result).toEqual({ findings: [], summary: 'answered' })
})

test('no line of a report contains a secret of the settings, or a line break of a server', async () => {
  const { config } = inspectConfig(safe)
  const secrets = [
    'database-password',
    'redis-password',
    'mail-password',
    safe.KEY_PEPPER,
    safe.VENDOR_A_API_KEY,
  ]
  const fault = `the server says\r\n\u001b[31m ${secrets.join(', ')} ${'x'.repeat(1_000)}`
  const check = { name: 'mail', remedy: 'Repair it.', run: () => Promise.reject(new Error(fault)) }
  const reports = await runChecks([check], { timeoutMs: 5_000, secrets: secretsOf(config!) })
  const [line = '', count] = printReport(reports)
  expect(line).toMatch(
    /^finding {2}mail {2}the server says \[31m \*\*\*, \*\*\*, \*\*\*, \*\*\*, \*\*\* x+\. Repair it\.$/,
  )
  expect(line.length).toBeLessThan(500)
  expect(count).toBe('1 check, 1 finding')
  const clean = { name: 'mail', result: { findings: [], summary: 'fine' } }
  expect([countFindings([clean]), printReport([clean]).at(-1)]).toEqual([0, '1 check, no findings'])
})
