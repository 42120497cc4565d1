import type { Context } from '../context.ts'

/**
 * Tells that a request found too little left of its key's cap, for the alert of that key's budget
 * (schema/statements/fire-budget-alert.sql). Nobody waits for it: told of or not, the request is refused.
 */
export function notifyCapRefused(
  { sql, log }: Pick<Context, 'sql' | 'log'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): void {
  sql`select fire_budget_alert(${accountId}, ${keyId}, 'refused')`.catch(error =>
    log.warn({ err: error, accountId, keyId }, 'a cap that is used up was not told of'),
  )
}
