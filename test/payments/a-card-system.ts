import {
  type AutomaticTopUpChange,
  changeAutomaticTopUp,
} from '../../domain/automatic-top-ups/change-automatic-top-up.ts'
import { topUpAutomatically } from '../../domain/automatic-top-ups/top-up-automatically.ts'
import { parseEvent } from '../../domain/billing/parse-event.ts'
import { receiveEvent } from '../../domain/billing/receive-event.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { openPayments, type Payments } from '../../domain/stripe/open-payments.ts'
import { startSetup } from '../../domain/stripe/start-setup.ts'
import { isRecord } from '../../platform/checks.ts'
import {
  type RunningPaymentSimulator,
  startPaymentSimulator,
} from '../../simulators/payment/start-payment-simulator.ts'
import { aSystem, type TestSystem } from '../harness/a-context.ts'
import { anAccount } from '../harness/an-account.ts'

const dollar = 1_000_000_000n

/** A database and a simulated card processor, without processes. Events arrive when a test delivers them. */
export interface CardSystem extends TestSystem {
  processor: RunningPaymentSimulator
  payments: Payments
  /** Delivers the processor's events so far that were not delivered, in this order or another. Returns the outcomes. */
  deliver(order?: (ids: string[]) => string[]): Promise<string[]>
  /** Saves a test card, by its last four digits. */
  saveCard(accountId: string, last4?: string): Promise<void>
  /** An account with credits, a saved card, and an automatic top-up of 50 dollars below 10 dollars. */
  aToppedUpAccount(options?: {
    credits?: bigint
    last4?: string
    change?: AutomaticTopUpChange
  }): Promise<{ accountId: string }>
  /** Runs the job of an account, as a worker does. */
  run(accountId: string): Promise<void>
  /** Changes the credits by an amount, as charges do. */
  spend(accountId: string, dollars: bigint): Promise<void>
  /** The charges that succeeded. */
  charged(accountId: string): Promise<number[]>
}

/** Starts one. */
export async function aCardSystem(env: Record<string, string> = {}): Promise<CardSystem> {
  const processor = await startPaymentSimulator({
    key: 'sk_test_simulated_payments',
    webhookUrl: 'http://127.0.0.1:9/',
    webhookSecret: 'whsec_0123456789abcdef0123456789abcdef',
    settings: { retryMs: 60_000 },
  })
  const system = await aSystem({
    STRIPE_SECRET_KEY: processor.key,
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
    STRIPE_URL: processor.url,
    ...env,
  })
  const payments = openPayments(system.config)
  const context = { ...system.context, payments }
  const delivered = new Set<string>()

  async function deliver(order = (ids: string[]) => ids): Promise<string[]> {
    const events = new Map(processor.events().map(event => [event.id, event.body]))
    const outcomes: string[] = []
    for (const id of order([...events.keys()].filter(known => !delivered.has(known)))) {
      delivered.add(id)
      const { outcome } = await receiveEvent(context, parseEvent(JSON.parse(events.get(id) ?? '')))
      if (outcome !== 'ignored') outcomes.push(outcome)
    }
    return outcomes
  }

  async function saveCard(accountId: string, last4 = '4242'): Promise<void> {
    const { url } = await startSetup(context, { accountId })
    await fetch(`${url}/save-${last4}`, { method: 'POST', redirect: 'manual' })
    await deliver()
  }

  return {
    ...system,
    ...{ processor, payments, deliver, saveCard },
    async aToppedUpAccount({ credits = 20n, last4, change } = {}) {
      const { accountId } = await anAccount(system.context, { creditNanos: credits * dollar })
      await saveCard(accountId, last4)
      await changeAutomaticTopUp(context, { accountId, change: { isOn: true, ...change } })
      return { accountId }
    },
    run: accountId => topUpAutomatically(context, { accountId }),
    async spend(accountId, dollars) {
      const source = `spent ${system.context.ids.uuid()}`
      await creditAccount(system.context, {
        accountId,
        amountNanos: -dollars * dollar,
        source,
        paymentMethod: 'adjustment',
      })
    },
    async charged(accountId) {
      const events = processor.events().filter(({ type }) => type === 'payment_intent.succeeded')
      return events.flatMap(({ body }) => {
        const { object } = JSON.parse(body).data
        const isOfAccount = isRecord(object.metadata) && object.metadata.account_id === accountId
        return isOfAccount ? [Number(object.amount_received)] : []
      })
    },
    async close() {
      payments.close()
      await processor.close()
      await system.close()
    },
  }
}
