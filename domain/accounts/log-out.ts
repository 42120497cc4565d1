import type { SessionCaller } from '../callers/caller.ts'
import type { ManagementContext } from '../management-context.ts'
import { endLogIn } from './sessions/end-log-in.ts'

/** Ends the log-in that the session comes from. A foreign issuer's session is ended by that issuer. */
export async function logOut(
  context: Pick<ManagementContext, 'em' | 'clock'>,
  { caller }: { caller: SessionCaller },
): Promise<void> {
  if (caller.familyId !== undefined) await endLogIn(context, { familyId: caller.familyId })
}
