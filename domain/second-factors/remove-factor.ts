import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { endSessionsOf } from '../accounts/sessions.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { addNotice } from '../sign-in-notices/add-notice.ts'
import { countFactors, type FactorKind, lockUser } from './factor-records.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { requireSignIn } from './require-sign-in.ts'

type ChangeContext = Pick<Context, 'sql' | 'clock' | 'ids' | 'config'> & { action?: ActionMark | undefined }

/**
 * Removes a second factor of a user. The last one also removes the recovery codes. Throws `not_found`,
 * `second_factor_required` if it is the last one and one of the user's accounts requires one, and `last_sign_in` if it is
 * the passkey without which the user cannot sign in.
 */
export async function removeFactor(
  context: ChangeContext,
  { userId, id, address }: { userId: string; id: string; address: string },
): Promise<void> {
  await context.sql.begin(async sql => {
    await lockUser(sql, userId)
    const [removed] = isUuid(id)
      ? await sql<{ kind: FactorKind }[]>`
          delete from second_factors where user_id = ${userId} and id = ${id} and activated_at is not null
          returning kind`
      : []
    if (!removed) throw new Problem('not_found')
    if (removed.kind === 'passkey') await requireSignIn(sql, context.config, { userId })
    const { totp, passkey } = await countFactors(sql, { userId })
    if (totp + passkey === 0) {
      const [bound] = await sql`
        select from memberships m join accounts a on a.id = m.account_id
        where m.user_id = ${userId} and a.requires_second_factor`
      if (bound) throw lastFactor()
      await sql`delete from recovery_codes where user_id = ${userId}`
    }
    await addNotice(sql, context, { userId, change: 'second_factor_removed', address })
    if (context.action) await endAction({ sql }, context.action, { type: 'SecondFactor', id })
  })
}

function lastFactor(): Problem {
  return new Problem('second_factor_required', {
    param: 'id',
    message: 'The account requires a second factor, and this is your last one. Add another one first.',
  })
}

/**
 * Replaces a user's recovery codes. The previous codes no longer work. Resolves to the new codes, which cannot be read
 * again. Throws `conflict` if the user has no second factor.
 */
export async function renewRecoveryCodes(
  context: ChangeContext,
  { userId, address }: { userId: string; address: string },
): Promise<string[]> {
  return context.sql.begin(async sql => {
    await lockUser(sql, userId)
    const { totp, passkey } = await countFactors(sql, { userId })
    if (totp + passkey === 0)
      throw new Problem('conflict', {
        message: 'Recovery codes replace a second factor, and you have none. Add one first.',
      })
    const codes = await replaceRecoveryCodes(sql, context, { userId })
    await addNotice(sql, context, { userId, change: 'recovery_codes_renewed', address })
    if (context.action) await endAction({ sql }, context.action)
    return codes
  })
}

/**
 * Removes all second factors, recovery codes and challenges of a user who can no longer use them, and ends the user's
 * sessions, for an operator who has verified the person. The user is notified. Throws `not_found`.
 */
export async function resetSecondFactors(
  context: ChangeContext,
  { userId }: { userId: string },
): Promise<{ endedSessions: number }> {
  return context.sql.begin(async sql => {
    await lockUser(sql, userId)
    await sql`delete from second_factors where user_id = ${userId}`
    await sql`delete from recovery_codes where user_id = ${userId}`
    await sql`delete from sign_in_challenges where user_id = ${userId}`
    const endedSessions = await endSessionsOf(sql, { userId, now: new Date(context.clock.now()) })
    await addNotice(sql, context, { userId, change: 'second_factors_reset' })
    if (context.action) await endAction({ sql }, context.action)
    return { endedSessions }
  })
}
