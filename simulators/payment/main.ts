import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startPaymentSimulator } from './start-payment-simulator.ts'

const help = `The payment simulator: stands in for Stripe. No money moves.

  node simulators/payment/main.ts [options]

  --port N               where to listen; 0 takes a free port (default 4030)
  --host ADDRESS         default 127.0.0.1
  --webhook-url URL      where events go
  --help                 this text

STRIPE_SECRET_KEY is the key that it takes, STRIPE_WEBHOOK_SECRET what it signs events with.
`

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4030' },
    host: { type: 'string', default: '127.0.0.1' },
    'webhook-url': { type: 'string', default: 'http://127.0.0.1:8080/api/v1/webhooks/stripe' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(help)
} else {
  const simulator = await startPaymentSimulator({
    port: Number(values.port),
    host: values.host,
    key: process.env.STRIPE_SECRET_KEY ?? 'sk_test_simulated_payments',
    webhookUrl: values['webhook-url'],
    webhookSecret: process.env.STRIPE_WEBHOOK_SECRET ?? 'whsec_simulated_payments',
  })
  process.stdout.write(`payment simulator listening on ${simulator.url}\n`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await simulator.close()
}
