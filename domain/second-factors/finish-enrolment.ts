import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { endSessionsOf } from '../accounts/sessions.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { addNotice } from '../sign-in-notices/add-notice.ts'
import { countFactors, type FactorKind } from './factor-records.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'

/** The result of adding a second factor. */
export interface Enrolment {
  id: string
  /** The user's recovery codes if this is the first second factor; otherwise empty. They cannot be read again. */
  recoveryCodes: string[]
  /** The number of the user's other sessions that were ended, which is 0 unless this is the first second factor. */
  endedSessions: number
}

/**
 * Ends the enrolment of a second factor that was just stored, in its transaction. The first second factor of a user
 * creates the recovery codes and ends the user's other sessions, because they began without it.
 */
export async function finishEnrolment(
  sql: SqlTransaction,
  context: Pick<Context, 'clock' | 'ids'> & { action?: ActionMark | undefined },
  args: { id: string; kind: FactorKind; userId: string; familyId: string; address: string },
): Promise<Enrolment> {
  const { id, kind, userId, familyId, address } = args
  const { totp, passkey } = await countFactors(sql, { userId })
  const isFirst = totp + passkey === 1
  const now = new Date(context.clock.now())
  const recoveryCodes = isFirst ? await replaceRecoveryCodes(sql, context, { userId }) : []
  const endedSessions = isFirst ? await endSessionsOf(sql, { userId, now, except: familyId }) : 0
  const change = kind === 'totp' ? 'authenticator_app_added' : 'passkey_added'
  await addNotice(sql, context, { userId, change, address })
  if (context.action) await endAction({ sql }, context.action, { type: 'SecondFactor', id })
  return { id, recoveryCodes, endedSessions }
}
