import { addJob } from '../../platform/jobs/add-job.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** A change of how a user signs in. */
export type SignInChange =
  | 'password_changed'
  | 'email_changed'
  | 'authenticator_app_added'
  | 'passkey_added'
  | 'second_factor_removed'
  | 'recovery_codes_renewed'
  | 'recovery_code_used'
  | 'second_factors_reset'

/** A notice to send: the payload of its job. */
export interface SignInNotice {
  /** Identifies the e-mail, so that a mail system recognises a repeat. */
  id: string
  userId: string
  change: SignInChange
  /** When the change was made, in ISO 8601. */
  at: string
  /** The client's IP address; undefined for a change by an operator. */
  address?: string | undefined
  /** The link with which the user changed the e-mail address. The notice goes to the address before. */
  linkId?: string | undefined
}

/** Adds the job that notifies a user of a change, in the transaction of the change. The worker sends the e-mail. */
export async function addNotice(
  sql: SqlTransaction,
  { clock, ids }: Pick<Context, 'clock' | 'ids'>,
  change: Pick<SignInNotice, 'userId' | 'change' | 'address' | 'linkId'>,
): Promise<void> {
  const notice: SignInNotice = { ...change, id: ids.uuid(), at: new Date(clock.now()).toISOString() }
  await addJob(sql, { name: 'send-sign-in-notice', payload: notice })
}
