import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { UserRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import { announceRevokedKeys, revokeKeysOf } from '../keys/revoke-keys.ts'
import { addNotice } from '../sign-in-notices/add-notice.ts'
import { announceConfirmation, grantOnConfirmation } from './confirm-email.ts'
import { rememberNetwork } from './known-networks.ts'
import { type AccountsContext, limitTries } from './limit-tries.ts'
import { requireOwnLogIn } from './log-in.ts'
import { mayHavePassword, readLinkToken, requestLink, useLink } from './mailed-links.ts'
import { checkPassword, lockAddress, maxPasswordLength, normalizeEmail } from './open-account.ts'
import { endSessionsOf } from './sessions.ts'

/**
 * Changes a user's password, ends the user's other sessions, and with `revokeApiKeys` revokes the user's API keys
 * (`revokeKeysOf`). A wrong current password counts as a failed log-in. A password that was changed after its check counts as
 * wrong. Throws `validation_failed`, `password_not_set`, `wrong_password`, `too_many_tries`, `overloaded`, and `forbidden` if users log in
 * at a foreign issuer.
 */
export async function changePassword(
  context: AccountsContext & { action?: ActionMark },
  args: {
    userId: string
    familyId: string | undefined
    currentPassword: string
    newPassword: string
    revokeApiKeys: boolean
    address: string
  },
): Promise<{ endedSessions: number; revokedApiKeys: number }> {
  requireOwnLogIn(context.config)
  const { sql, clock, passwords, action } = context
  const { userId, familyId, currentPassword, newPassword, revokeApiKeys, address } = args
  checkPassword(newPassword, 'newPassword')
  const [user] = await sql<Pick<UserRow, 'email' | 'passwordHash' | 'emailConfirmedAt'>[]>`
    select email, password_hash as "passwordHash",
      email_confirmed_at as "emailConfirmedAt"
    from users where id = ${userId}`
  if (!user) throw new Problem('not_found')
  if (user.passwordHash === null) throw new Problem('password_not_set')
  await limitTries(context, { email: user.email, address }, async () => {
    const isRight =
      currentPassword.length <= maxPasswordLength &&
      (await passwords.check(currentPassword, user.passwordHash ?? undefined, address))
    if (!isRight) throw new Problem('wrong_password', { param: 'currentPassword' })
    return user
  })
  const passwordHash = await passwords.hash(newPassword, address)
  const { endedSessions, keys } = await sql.begin(async transaction => {
    const now = new Date(clock.now())
    const changed = await transaction`
      update users set password_hash = ${passwordHash}, updated_at = ${now}
      where id = ${userId} and password_hash = ${user.passwordHash}`
    if (changed.count === 0) throw new Problem('wrong_password', { param: 'currentPassword' })
    const ended = await endSessionsOf(transaction, { userId, now, except: familyId })
    const revoked = revokeApiKeys ? await revokeKeysOf(transaction, { userId, now }) : []
    await addNotice(transaction, context, { userId, change: 'password_changed', address })
    if (action) await endAction({ sql: transaction }, action)
    return { endedSessions: ended, keys: revoked }
  })
  await announceRevokedKeys(context, { keys })
  return { endedSessions, revokedApiKeys: keys.length }
}

/**
 * Requests an e-mail with a link that sets a new password. Neither response nor timing reveals whether a user has the
 * address. Throws `validation_failed` for an address that is too long, `too_many_tries`, `mail_not_configured`, and
 * `forbidden` if users log in at a foreign issuer.
 */
export async function requestPasswordReset(
  context: AccountsContext,
  { email, address }: { email: string; address: string },
): Promise<void> {
  requireOwnLogIn(context.config)
  await requestLink(context, { purpose: 'reset_password', email: normalizeEmail(email), address })
}

/**
 * Sets a new password for the user to whom a link was sent, ends all sessions, and with `revokeApiKeys` revokes the
 * user's API keys. If no user has confirmed the address, this confirms it for the user whom the link names. `accountId`
 * is the account that the user used last. Throws `validation_failed`, `link_refused`, `too_many_tries`, `overloaded`.
 */
export async function resetPassword(
  context: AccountsContext,
  args: { token: string; newPassword: string; revokeApiKeys: boolean; address: string },
): Promise<{ id: string; accountId: string | undefined; revokedApiKeys: number }> {
  const { token, newPassword, revokeApiKeys, address } = args
  const { sql, clock, config, passwords } = context
  checkPassword(newPassword, 'newPassword')
  const link = {
    id: readLinkToken(config, { token, purpose: 'reset_password' }),
    purpose: 'reset_password',
  } as const
  const passwordHash = await passwords.hash(newPassword, address)
  const { user, keys } = await sql.begin(async transaction => {
    const { email, userId: namedId } = await useLink({ sql: transaction, clock }, link)
    const now = new Date(clock.now())
    await lockAddress(transaction, email)
    const owner = await setPassword(transaction, { email, namedId, passwordHash, now })
    const userId = owner.id
    if (owner.isFirst) await grantOnConfirmation(transaction, context, { userId, email, address })
    await endSessionsOf(transaction, { userId, now })
    // A stranger who signed up with the address may have linked an identity before the address's owner confirmed it.
    await transaction`
      delete from identities i using users u
      where u.id = i.user_id and u.id = ${userId} and i.created_at < u.email_confirmed_at`
    await addNotice(transaction, context, { userId, change: 'password_changed', address })
    return { user: owner, keys: revokeApiKeys ? await revokeKeysOf(transaction, { userId, now }) : [] }
  })
  await announceRevokedKeys(context, { keys })
  await rememberNetwork(context, { userId: user.id, address })
  const accountId = await announceConfirmation(context, { userId: user.id })
  return { id: user.id, accountId, revokedApiKeys: keys.length }
}

/** Sets the password of the user who confirmed the address; if there is none, of the named user, who confirms it now. */
async function setPassword(
  sql: SqlTransaction,
  args: { email: string; namedId: string | null; passwordHash: string; now: Date },
): Promise<{ id: string; isFirst: boolean }> {
  const { email, namedId, passwordHash, now } = args
  const [user] = await sql<{ id: string; isFirst: boolean }[]>`
    update users u set password_hash = ${passwordHash}, updated_at = ${now},
      email_confirmed_at = coalesce(email_confirmed_at, ${now})
    where lower(email) = ${email} and ${mayHavePassword(sql)} and id = coalesce((
      select id from users where lower(email) = ${email} and email_confirmed_at is not null
    ), ${namedId}::uuid)
    returning id, email_confirmed_at = ${now} as "isFirst"`
  if (!user) throw new Problem('link_refused', { param: 'token' })
  return user
}
