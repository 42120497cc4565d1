import { UniqueConstraintViolationException } from '@mikro-orm/postgresql'
import { AccountEntity } from '../../schema/entities/accounts.ts'
import { BalanceEntity } from '../../schema/entities/balances.ts'
import { UserEntity, type UserRow } from '../../schema/entities/users.ts'
import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'
import { checkSignUp, type SignUp } from './check-sign-up.ts'
import { limitSignUps } from './limit-sign-ups.ts'
import { limitTries } from './limit-tries.ts'
import { refuseOwnLogIn } from './own-log-in.ts'
import { hashPassword } from './passwords.ts'
import { issueSession } from './sessions/issue-session.ts'
import type { Session } from './sessions/session.ts'

/**
 * Opens an account with its first user and a balance of zero, and logs that user in.
 * Throws `validation_failed`, `email_taken`, `too_many_tries` (taken e-mails count as tries).
 */
export async function signUp(context: AccountsContext, args: SignUp & { address: string }): Promise<Session> {
  refuseOwnLogIn(context.config)
  const checked = checkSignUp(args)
  const who = { email: checked.email, address: args.address }
  const user = await limitSignUps(context, args.address, () =>
    limitTries(context, who, () => openAccount(context, checked)),
  )
  return issueSession(context, user)
}

async function openAccount(
  { em, clock, ids }: AccountsContext,
  { email, password, name }: { email: string; password: string; name: string },
): Promise<UserRow> {
  const created = { createdAt: new Date(clock.now()), updatedAt: new Date(clock.now()) }
  const passwordHash = await hashPassword(password)
  const accountId = ids.uuid()
  try {
    return await em.transactional(async em => {
      em.create(AccountEntity, { id: accountId, name, ...created }, { persist: true })
      em.create(BalanceEntity, { accountId, creditsNanos: 0n, heldNanos: 0n }, { persist: true })
      await em.flush()
      const user = { id: ids.uuid(), accountId, email, name, passwordHash, ...created }
      return em.create(UserEntity, user, { persist: true })
    })
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw new Problem('email_taken', { param: 'email', cause: error })
    throw error
  }
}
