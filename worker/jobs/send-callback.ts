import type { Receiver } from '../../domain/callbacks/claim-deliveries.ts'
import type { Job } from './worker-services.ts'

/** Begins what is due at a receiver of callbacks (domain/callbacks/README.md). It does not wait for its answers. */
export const sendCallback: Job<Receiver> = {
  name: 'send-callback',
  run: ({ callbacks }, receiver) => callbacks.sendDue(receiver),
}
