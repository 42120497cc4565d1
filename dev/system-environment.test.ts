import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { singleCredential } from '../platform/config/credentials.ts'
import { readConfig } from '../platform/config/read-config.ts'
import type { Vendor } from '../schema/catalog/vendor.ts'
import { openHome } from './home.ts'
import { assignPorts, routeVendors, simulatedIssuers, systemEnvironment } from './system-processes.ts'

const simulatorUrl = 'http://127.0.0.1:9003'
const secrets = {
  MASTER_KEYS: `dev=${Buffer.alloc(32, 1).toString('base64')}`,
  KEY_PEPPER: 'p'.repeat(32),
  SUBGRAPH_SECRET: 's'.repeat(32),
  demoPassword: 'never passed on',
  demoOperator: { key: 'sk-rb-op-never-passed-on', digest: 'd'.repeat(64) },
}
const vendors: Vendor[] = [
  { label: 'vendor_a', name: 'Alder', adapter: 'openai-chat' },
  { label: 'vendor_d', name: 'Dogwood', adapter: 'openai-chat' },
]

test('a vendor without a credential is simulated; a vendor with one is not', () => {
  const routes = routeVendors(vendors, { env: { VENDOR_A_API_KEY: 'real' }, simulatorUrl })
  expect(routes.map(({ label, kind }) => [label, kind])).toEqual([
    ['vendor_a', 'real'],
    ['vendor_d', 'simulated'],
  ])
  const { vendors: settings } = readConfig(environmentFor({ VENDOR_A_API_KEY: 'real' }))
  expect(settings.get('vendor_a')).toEqual({ credentials: [singleCredential('real')] })
  expect(settings.get('vendor_d')).toEqual({
    credentials: [singleCredential('sim-platform-key')],
    baseUrl: `${simulatorUrl}/openai/v1`,
  })
})

test('settings of the caller precede the defaults for a laptop, but not the values of this start', () => {
  const config = readConfig(environmentFor({ ACCESS_TOKEN_SECONDS: '60', EDGE_PORT: '1', LOG_LEVEL: '' }))
  expect(config).toMatchObject({
    accessTokenSeconds: 60,
    allowLoopback: true,
    edgePort: 9000,
    controlUrl: 'http://127.0.0.1:9001',
    baseUrl: 'http://127.0.0.1:9000',
    keyPepper: secrets.KEY_PEPPER,
    logLevel: 'info',
  })
})

test('payments are simulated if and only if no Stripe key is set', () => {
  expect(readConfig(environmentFor({}))).toMatchObject({
    stripeSecretKey: 'sk_test_simulated_payments',
    stripeUrl: 'http://127.0.0.1:9008',
  })
  const real = { STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef' }
  expect(() => readConfig(environmentFor(real))).toThrow('STRIPE_WEBHOOK_SECRET must be set')
  const whole = { ...real, STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef' }
  expect(readConfig(environmentFor(whole))).toMatchObject({
    stripeSecretKey: real.STRIPE_SECRET_KEY,
    stripeUrl: '',
  })
})

test('an issuer is simulated unless log-in is configured', () => {
  const [issuer] = readConfig(environmentFor({})).issuers.values()
  expect(issuer).toMatchObject({ name: 'simulated', url: 'http://127.0.0.1:9011', opensAccounts: true })
  const foreign = readConfig(environmentFor({ FOREIGN_JWKS_URL: 'https://issuer.example/keys' }))
  expect(foreign.issuers.size).toBe(0)
})

test('the log-in of the demo account is not in the environment', () => {
  expect(Object.values(environmentFor({}))).not.toContain(secrets.demoPassword)
  expect(Object.values(environmentFor({}))).not.toContain(secrets.demoOperator.key)
})

function environmentFor(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const home = openHome({ RUBICON_HOME: join(inject('folder'), 'environment-test') })
  const ports = assignPorts(9000)
  writeFileSync(home.issuersFile, simulatedIssuers(ports))
  return systemEnvironment({
    env,
    home,
    ports,
    secrets,
    vendors: routeVendors(vendors, { env, simulatorUrl }),
    databaseUrl: 'postgres://postgres@127.0.0.1:9004/rubicon',
    redisUrl: 'redis://127.0.0.1:6379',
  })
}
