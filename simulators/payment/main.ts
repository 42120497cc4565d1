import { runCommand } from '../server/run-command.ts'
import { startPaymentSimulator } from './start-payment-simulator.ts'

const help = `The payment simulator: stands in for Stripe. No money moves.

  node simulators/payment/main.ts [options]

  --port N               port; 0 picks a free one (default 4030)
  --host ADDRESS         address to listen on (default 127.0.0.1)
  --webhook-url URL      URL that events are sent to
  --help                 print this text

STRIPE_SECRET_KEY is the valid API key. STRIPE_WEBHOOK_SECRET signs the events.
`

await runCommand({
  help,
  options: { port: '4030', 'webhook-url': 'http://127.0.0.1:8080/api/v1/webhooks/stripe' },
  async start({ values, port, host }) {
    const { url, close } = await startPaymentSimulator({
      ...{ port, host, webhookUrl: values['webhook-url'] },
      key: process.env.STRIPE_SECRET_KEY ?? 'sk_test_simulated_payments',
      webhookSecret: process.env.STRIPE_WEBHOOK_SECRET ?? 'whsec_simulated_payments',
    })
    return { message: `payment simulator listening on ${url}`, close }
  },
})
