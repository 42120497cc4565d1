import type { Context } from '../context.ts'

/**
 * Reports that the rest of a key's cap was too small for a request, for the alert of the key's budget
 * (schema/statements/fire-budget-alert.sql). It runs in the background and does not affect the request.
 */
export function notifyCapRefused(
  { sql, log }: Pick<Context, 'sql' | 'log'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): void {
  sql`select fire_budget_alert(${accountId}, ${keyId}, 'refused')`.catch(error =>
    log.warn({ err: error, accountId, keyId }, 'firing the alert for a reached cap failed'),
  )
}
