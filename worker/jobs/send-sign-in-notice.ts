import type { SignInNotice } from '../../domain/sign-in-notices/add-notice.ts'
import { sendNotice } from '../../domain/sign-in-notices/send-notice.ts'
import type { Job } from './worker-services.ts'

/** Sends the e-mail about a change of how a user signs in; `addNotice` adds it. */
export const sendSignInNotice: Job<SignInNotice> = {
  name: 'send-sign-in-notice',
  run: ({ context }, notice, { signal }) => sendNotice(context, { notice, signal }),
}
