import { type FiredBudgetAlert, sendBudgetAlert as send } from '../../domain/alerts/send-budget-alert.ts'
import type { Job } from './worker-services.ts'

/** Sends the e-mail and the webhook of a budget alert; `fire_budget_alert` adds it. */
export const sendBudgetAlert: Job<FiredBudgetAlert> = {
  name: 'send-budget-alert',
  run: ({ context }, fired, { signal }) => send(context, { fired, signal }),
}
