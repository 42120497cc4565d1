import { type LinkToSend, sendLink as send } from '../../domain/accounts/send-link.ts'
import type { Job } from './worker-services.ts'

/** Sends an e-mail with a link that confirms or changes an address, or resets a password; `requestLink` adds it. */
export const sendLink: Job<LinkToSend> = {
  name: 'send-link',
  run: ({ context }, link, { signal }) => send(context, { link, signal }),
}
