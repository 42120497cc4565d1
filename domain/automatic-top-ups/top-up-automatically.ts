import type { Context } from '../context.ts'
import type { StripeContext } from '../stripe/find-customer.ts'
import { type Attempt, attemptColumns, chargeAttempt } from './charge-attempt.ts'

/** The maximum number of failed attempts of an account per day (UTC), however often its settings are changed. */
const maxFailedPerDay = 10

/**
 * Opens an automatic top-up of an account if one is due, and charges the saved card; or continues the top-up in
 * progress. Each call makes at most one charge, and calls for the same attempt make one charge together. The credits
 * follow with Stripe's event. If the outcome is unknown, the attempt stays in progress and a chore continues it
 * (`findDueTopUps`). Throws if the database does not answer.
 */
export async function topUpAutomatically(
  context: StripeContext & Pick<Context, 'config'>,
  { accountId }: { accountId: string },
): Promise<void> {
  const { sql, config, log } = context
  if (config.stripeSecretKey === 'none') return
  const [opened] = await sql<{ id: string }[]>`
    select id from open_automatic_top_up(${accountId}, ${maxFailedPerDay})`
  if (!opened) return
  const [attempt] = await sql<Attempt[]>`
    update payments p set called_at = now() where p.account_id = ${accountId} and p.id = ${opened.id}
    returning ${attemptColumns(sql)}`
  if (!attempt) return

  const answer = await chargeAttempt(context, attempt)
  const line = { accountId, paymentId: attempt.id, ...answer }
  if (answer.state === 'charged') log.info(line, 'an automatic top-up was charged')
  if (answer.state === 'unknown')
    log.warn(line, 'the outcome of an automatic top-up is unknown; it is continued')
  if (answer.state !== 'refused') return
  const { failure, policy } = answer
  await sql`select fail_automatic_top_up(${accountId}, ${attempt.id}, ${failure}, ${policy})`
  log.warn(line, 'an automatic top-up was refused')
}

/** Maximum number of accounts that one call of `findDueTopUps` handles. */
const maxAccounts = 500

/**
 * Requests automatic top-ups whose delay has passed or whose job was lost, and continues those whose outcome is unknown.
 * Resolves to the number of accounts.
 */
export async function findDueTopUps({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await sql<{ found: number }[]>`select find_due_top_ups(${maxAccounts}) as found`
  return row?.found ?? 0
}
