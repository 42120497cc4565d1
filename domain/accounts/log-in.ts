import { raw } from '@mikro-orm/postgresql'
import { UserEntity, type UserRow } from '../../schema/entities/users.ts'
import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'
import { knownEmail } from './check-sign-up.ts'
import { rememberNetwork } from './known-networks.ts'
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
  const { address } = args
  const email = knownEmail(args.email)
  const user = await limitTries(context, { email, address }, () => findUser(context, args))
  await rememberNetwork(context, { userId: user.id, address })
  return issueSession(context, user)
}

async function findUser(
  { em }: AccountsContext,
  { email, password }: { email: string; password: string },
): Promise<UserRow> {
  if (password.length > 200) throw new Problem('wrong_credentials')
  const spelled = email.trim().toLowerCase() // how a few are kept still: see schema/migrations, normalised e-mails
  const found = await em.find(UserEntity, { [raw('lower(email)')]: { $in: [spelled, knownEmail(email)] } })
  const user = found.find(({ email }) => email === spelled) ?? found[0]
  if (!(await checkPassword(password, user?.passwordHash)) || !user) throw new Problem('wrong_credentials')
  return user
}
