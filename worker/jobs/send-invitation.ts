import { type InvitationToSend, sendInvitation as send } from '../../domain/members/send-invitation.ts'
import type { Job } from './worker-services.ts'

/** Sends the e-mail of an invitation; `createInvitation` and `resendInvitation` add it. */
export const sendInvitation: Job<InvitationToSend> = {
  name: 'send-invitation',
  run: ({ context }, invitation, { signal }) => send(context, { invitation, signal }),
}
