import { type FiredBalanceAlert, sendBalanceAlert as send } from '../../domain/alerts/send-balance-alert.ts'
import type { Job } from './worker-services.ts'

/** Sends the e-mail of a balance alert that fired; `fire_balance_alerts` adds it. */
export const sendBalanceAlert: Job<FiredBalanceAlert> = {
  name: 'send-balance-alert',
  run: ({ context }, fired, { signal }) => send(context, { fired, signal }),
}
