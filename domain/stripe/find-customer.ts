import type { Context } from '../context.ts'
import type { Payments } from './open-payments.ts'
import { isRepeated, readFault, stripeUnavailable } from './stripe-faults.ts'

export interface StripeContext extends Pick<Context, 'sql' | 'log'> {
  payments: Payments
}

/** Returns the Stripe customer of an account; undefined until it is created. */
export async function findCustomer(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<string | undefined> {
  const [row] = await sql<{ id: string | null }[]>`
    select customer_id as id from stripe_customers where account_id = ${accountId}`
  return row?.id ?? undefined
}

/**
 * Returns the Stripe customer of an account, and creates it first if there is none. Concurrent calls use the same
 * idempotency key, so an account gets one customer. Throws `top_up_closed`, and `unavailable` if Stripe does not
 * respond.
 */
export async function obtainCustomer(
  context: StripeContext,
  { accountId }: { accountId: string },
): Promise<string> {
  const { sql, log, payments } = context
  const known = await findCustomer(context, { accountId })
  if (known !== undefined) return known
  const client = await payments.client()
  await sql`insert into stripe_customers (account_id) values (${accountId}) on conflict do nothing`
  const [row] = await sql<{ tries: number }[]>`
    select tries from stripe_customers where account_id = ${accountId}`
  const tries = row?.tries ?? 0
  try {
    const created = await client.customers.create(
      { metadata: { account_id: accountId } },
      { idempotencyKey: `customer-${accountId}-${tries}` },
    )
    await sql`
      update stripe_customers set customer_id = ${created.id} where account_id = ${accountId} and customer_id is null`
    return (await findCustomer(context, { accountId })) ?? created.id
  } catch (error) {
    const fault = readFault(error)
    if (isRepeated(fault))
      await sql`
        update stripe_customers set tries = ${tries + 1} where account_id = ${accountId} and tries = ${tries}`
    log.error({ accountId, error: fault.text }, 'Stripe did not create a customer')
    throw stripeUnavailable(error)
  }
}
