import { expect, test } from 'vitest'
import { readConfig } from './read-config.ts'

const key = 'sk_live_0123456789abcdef'
const secret = 'whsec_0123456789abcdef0123456789abcdef'

test.each([
  [
    'an empty webhook secret',
    { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: '' },
    'STRIPE_WEBHOOK_SECRET must be set',
  ],
  [
    'an invalid webhook secret',
    { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: 'secret' },
    'STRIPE_WEBHOOK_SECRET must be at least 22',
  ],
  [
    'a key that is none',
    { STRIPE_SECRET_KEY: 'key', STRIPE_WEBHOOK_SECRET: secret },
    'STRIPE_SECRET_KEY must be at least 16',
  ],
  [
    'a simulator in production',
    { NODE_ENV: 'production', STRIPE_URL: 'http://127.0.0.1:8088' },
    'STRIPE_URL must not be set in production',
  ],
])('%s ends the start, and no secret is shown', (_, env, fault) => {
  expect(() => readConfig(env)).toThrow(fault)
  expect(() => readConfig(env)).not.toThrow(key)
})

test('a key with its webhook secret is accepted, and so are neither', () => {
  expect(readConfig({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret })).toMatchObject({
    stripeSecretKey: key,
    stripeWebhookSecret: secret,
    stripeUrl: '',
  })
  expect(readConfig({})).toMatchObject({ stripeSecretKey: 'none', stripeWebhookSecret: '' })
})
