import { createHmac } from 'node:crypto'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { peppersOf } from '../keys/key-text.ts'
import { foldEmail } from './fold-email.ts'

/**
 * Grants `TRIAL_CREDIT` to the account that a user opened, in the transaction that confirms the user's e-mail address for
 * the first time. Returns the account; undefined if the person has received a trial credit before, or owns no account
 * that can use it.
 */
export async function grantTrial(
  { sql, config }: Pick<Context, 'config'> & { sql: SqlTransaction },
  { userId, email }: { userId: string; email: string },
): Promise<string | undefined> {
  const people = peppersOf(config).map(pepper => hashOf(pepper, email))
  const [granted] = await sql<{ accountId: string | null }[]>`
    select grant_trial(${userId}, ${people}::text[], ${config.trialCreditNanos}) as "accountId"`
  return granted?.accountId ?? undefined
}

function hashOf(pepper: string, email: string): string {
  return createHmac('sha256', pepper)
    .update(`trial ${foldEmail(email)}`)
    .digest('base64url')
}
