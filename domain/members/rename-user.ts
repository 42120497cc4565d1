import { requireName } from '../accounts/open-account.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { lockUser } from '../second-factors/factor-records.ts'

/** Changes a user's name, which the members of the user's accounts see. Throws `validation_failed`, `not_found`. */
export async function renameUser(
  { sql, clock, action }: Pick<Context, 'sql' | 'clock'> & { action?: ActionMark | undefined },
  { userId, name }: { userId: string; name: string },
): Promise<void> {
  const checked = requireName(name)
  await sql.begin(async transaction => {
    await lockUser(transaction, userId)
    await transaction`
      update users set name = ${checked}, updated_at = ${new Date(clock.now())} where id = ${userId}`
    if (action) await endAction({ sql: transaction }, action, { type: 'User', id: userId })
  })
}
