import { type ClosureToSend, sendClosure as send } from '../../domain/closures/send-closure.ts'
import type { Job } from './worker-services.ts'

/** Sends an owner the e-mail about a closed account; `closeOwnAccount` adds it. */
export const sendClosure: Job<ClosureToSend> = {
  name: 'send-closure',
  run: ({ context }, closure, { signal }) => send(context, { closure, signal }),
}
