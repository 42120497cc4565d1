import Stripe from 'stripe'
import { nanos } from '../../platform/money.ts'
import { type RunningMailbox, startMailbox } from '../../simulators/mailbox/start-mailbox.ts'
import {
  type RunningPaymentSimulator,
  startPaymentSimulator,
} from '../../simulators/payment/start-payment-simulator.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { anEdgeBeforeControl, type FrontedSystem } from '../harness/an-edge.ts'

const webhookSecret = 'whsec_0123456789abcdef0123456789abcdef'

/** A whole system whose card processor is simulated; events come in through the edge. */
export interface PaymentSystem extends FrontedSystem {
  processor: RunningPaymentSimulator
  webhookSecret: string
  /** The real client, as an operator has it. */
  stripe: Stripe
  /** Starts a top-up; answers its record. */
  topUp(token: string, amount: number): Promise<TopUpRecord>
  /** Presses a button of the page of a session. */
  press(checkoutUrl: string, action: string): Promise<Response>
  creditsOf(accountId: string): Promise<bigint>
}

export interface TopUpRecord {
  id: string
  amount: number
  currency: string
  status: string
  checkout_url: string
  created_at: string
}

/** Starts one. */
export async function aPaymentSystem(env: Record<string, string> = {}): Promise<PaymentSystem> {
  const processor = await startPaymentSimulator({
    key: 'sk_test_simulated_payments',
    webhookUrl: 'http://127.0.0.1:9/', // until the edge has started
    webhookSecret,
    settings: { delayMs: 50, retryMs: 50 },
  })
  const system = await anEdgeBeforeControl({
    STRIPE_SECRET_KEY: processor.key,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_URL: processor.url,
    ...env,
  })
  processor.sendTo(`${system.edge.url}/api/v1/webhooks/stripe`)
  const { hostname: host, port } = new URL(processor.url)

  return {
    ...system,
    processor,
    webhookSecret,
    stripe: new Stripe(processor.key, { host, port, protocol: 'http', maxNetworkRetries: 0 }),
    async topUp(token, amount) {
      const { status, body } = await system.rest('POST', '/billing/topup', { token, body: { amount } })
      if (status !== 201) throw new Error(`top-up answered ${status}: ${JSON.stringify(body)}`)
      return body
    },
    press: (checkoutUrl, action) => fetch(`${checkoutUrl}/${action}`, { method: 'POST', redirect: 'manual' }),
    async creditsOf(accountId) {
      const { sql } = system.context
      const [row] = await sql<{ credits: bigint }[]>`
        select credits_nanos as credits from balances where account_id = ${accountId}`
      return row?.credits ?? 0n
    },
    async close() {
      await processor.close()
      await system.close()
    },
  }
}

/** The same with a worker, whose e-mails a mailbox catches. */
export async function aPaymentSystemWithMail(): Promise<PaymentSystem & { mailbox: RunningMailbox }> {
  const mailbox = await startMailbox()
  const system = await aPaymentSystem({ SMTP_URL: mailbox.smtpUrl, WORKER_PORT: '0' })
  const worker = await startWorker(system.config)
  return {
    ...system,
    mailbox,
    async close() {
      await worker.close()
      await system.close()
      await mailbox.close()
    },
  }
}

/** Dollars as the nano-dollars that the tables have. */
export function inNanos(amountDollars: number): bigint {
  return nanos(amountDollars) ?? 0n
}
