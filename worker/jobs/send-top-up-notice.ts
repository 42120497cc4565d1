import {
  type StoppedTopUp,
  sendTopUpNotice as send,
} from '../../domain/automatic-top-ups/send-top-up-notice.ts'
import type { Job } from './worker-services.ts'

/** Notifies an account that its automatic top-ups are switched off; `end_automatic_top_up` adds it. */
export const sendTopUpNotice: Job<StoppedTopUp> = {
  name: 'send-top-up-notice',
  run: ({ context, payments }, stopped, { signal }) => send({ ...context, payments }, { stopped, signal }),
}
