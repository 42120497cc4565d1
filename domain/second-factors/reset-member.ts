import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { checkReason } from '../audit/check-reason.ts'
import type { ActionMark } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { resetSecondFactors } from './remove-factor.ts'

/**
 * Resets the second factors of a member of an account, for an operator who has verified the person. Resolves to the
 * number of sessions that were ended. Throws `validation_failed` if the reason is not 1 to 500 characters long, and
 * `not_found` if the account has no such member.
 */
export async function resetMember(
  context: Pick<Context, 'sql' | 'clock' | 'ids' | 'config'> & { action?: ActionMark | undefined },
  { accountId, userId, reason }: { accountId: string; userId: string; reason: string },
): Promise<{ endedSessions: number }> {
  checkReason(reason)
  const [member] =
    isUuid(accountId) && isUuid(userId)
      ? await context.sql`select from memberships where account_id = ${accountId} and user_id = ${userId}`
      : []
  if (!member) throw new Problem('not_found', { message: 'The account has no such member.' })
  return resetSecondFactors(context, { userId })
}
