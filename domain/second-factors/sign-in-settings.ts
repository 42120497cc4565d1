import { Problem } from '../../schema/errors.ts'
import { hasSecondFactor } from '../accounts/session-tokens.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { countRecoveryCodes } from './recovery-codes.ts'

/** How a user signs in to an account. */
export interface SignInStatus {
  /** Whether the account requires a second factor of its members. */
  requiresSecondFactor: boolean
  hasSecondFactor: boolean
  /** Whether the user has a password. A user who signs in through an issuer only has none. */
  hasPassword: boolean
  /** The number of recovery codes that the user has not used. */
  recoveryCodesLeft: number
}

/** Reads how a user signs in to an account. */
export async function readSignInStatus(
  { sql }: Pick<Context, 'sql'>,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<SignInStatus> {
  const [row] = await sql<Omit<SignInStatus, 'recoveryCodesLeft'>[]>`
    select requires_second_factor as "requiresSecondFactor", ${hasSecondFactor(sql, userId)} as "hasSecondFactor",
      exists (select from users where id = ${userId} and password_hash is not null) as "hasPassword"
    from accounts where id = ${accountId}`
  if (!row) throw new Problem('not_found')
  return { ...row, recoveryCodesLeft: await countRecoveryCodes(sql, { userId }) }
}

/**
 * Changes whether an account requires a second factor. It applies at once: members without one can then only add one.
 * Throws `second_factor_required` if the user who requires it has none.
 */
export async function requireSecondFactor(
  { sql, clock, action }: Pick<Context, 'sql' | 'clock'> & { action?: ActionMark | undefined },
  { accountId, userId, isRequired }: { accountId: string; userId: string; isRequired: boolean },
): Promise<void> {
  await sql.begin(async transaction => {
    const changed = await transaction`
      update accounts set requires_second_factor = ${isRequired}, updated_at = ${new Date(clock.now())}
      where id = ${accountId} and (not ${isRequired} or ${hasSecondFactor(transaction, userId)})`
    if (changed.count === 0)
      throw new Problem('second_factor_required', {
        message: 'Add a second factor to your own sign-in before you require one of all members.',
      })
    if (action) await endAction({ sql: transaction }, action)
  })
}
