import { runCommand } from '../server/run-command.ts'
import { startPaymentSimulator } from './start-payment-simulator.ts'

const webhookUrl = 'http://127.0.0.1:8080/api/v1/webhooks/stripe'

await runCommand({ port: '4030', host: '127.0.0.1', 'webhook-url': webhookUrl }, options =>
  startPaymentSimulator({
    ...{ port: Number(options.port), host: options.host, webhookUrl: options['webhook-url'] },
    key: process.env.STRIPE_SECRET_KEY ?? 'sk_test_simulated_payments',
    webhookSecret: process.env.STRIPE_WEBHOOK_SECRET ?? 'whsec_simulated_payments',
  }),
)
