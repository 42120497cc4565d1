import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'
import { checkSignUp, type SignUp } from './check-sign-up.ts'
import { rememberNetwork } from './known-networks.ts'
import { limitSignUps } from './limit-sign-ups.ts'
import { limitTries } from './limit-tries.ts'
import { openAccount } from './open-account.ts'
import { refuseOwnLogIn } from './own-log-in.ts'
import { issueSession } from './sessions/issue-session.ts'
import type { Session } from './sessions/session.ts'

/**
 * Opens an account with its first user and a balance of zero, and logs that user in.
 * Throws `sign_up_closed`, `validation_failed`, `email_taken`, `too_many_tries` (taken e-mails count as tries).
 */
export async function signUp(context: AccountsContext, args: SignUp & { address: string }): Promise<Session> {
  refuseOwnLogIn(context.config)
  if (context.config.signUp === 'closed') throw new Problem('sign_up_closed')
  const checked = checkSignUp(args)
  const who = { email: checked.email, address: args.address }
  const user = await limitSignUps(context, args.address, () =>
    limitTries(context, who, () => openAccount(context, checked)),
  )
  await rememberNetwork(context, { userId: user.id, address: args.address })
  return issueSession(context, user)
}
