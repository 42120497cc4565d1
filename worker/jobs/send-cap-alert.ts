import { type FiredCapAlert, sendCapAlert as send } from '../../domain/alerts/send-cap-alert.ts'
import type { Job } from './worker-services.ts'

/** Sends the e-mail and the webhook of a cap alert; `fire_cap_alert` adds it. */
export const sendCapAlert: Job<FiredCapAlert> = {
  name: 'send-cap-alert',
  run: ({ context }, fired, { signal }) => send(context, { fired, signal }),
}
