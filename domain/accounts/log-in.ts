import { raw } from '@mikro-orm/postgresql'
import { UserEntity, type UserRow } from '../../schema/entities/users.ts'
import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'
import { knownEmail } from './check-sign-up.ts'
import { limitTries } from './limit-tries.ts'
import { refuseOwnLogIn } from './own-log-in.ts'
import { checkPassword } from './passwords.ts'
import { issueSession } from './sessions/issue-session.ts'
import type { Session } from './sessions/session.ts'

/** Logs a person in. Throws `validation_failed` for what no e-mail can be, `wrong_credentials`, `too_many_tries`. */
export async function logIn(
  context: AccountsContext,
  args: { email: string; password: string; address: string },
): Promise<Session> {
  refuseOwnLogIn(context.config)
  const { password, address } = args
  const email = knownEmail(args.email)
  const user = await limitTries(context, { email, address }, () => findUser(context, { email, password }))
  return issueSession(context, user)
}

async function findUser(
  { em }: AccountsContext,
  { email, password }: { email: string; password: string },
): Promise<UserRow> {
  if (password.length > 200) throw new Problem('wrong_credentials')
  const user = await em.findOne(UserEntity, { [raw('lower(email)')]: email })
  if (!(await checkPassword(password, user?.passwordHash)) || !user) throw new Problem('wrong_credentials')
  return user
}
