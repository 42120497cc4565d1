import type { Context } from '../context.ts'
import type { Payments } from './open-payments.ts'
import { failWithStripe, isLostCustomer, isRepeated, readFault } from './stripe-faults.ts'

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
  const { sql, payments } = context
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
    if (isRepeated(readFault(error)))
      await sql`
        update stripe_customers set tries = ${tries + 1} where account_id = ${accountId} and tries = ${tries}`
    throw failWithStripe(context, { accountId, cause: error, message: 'Stripe did not create a customer' })
  }
}

/**
 * Calls Stripe with the customer of an account, and returns the answer. If Stripe does not know the customer, it is forgotten,
 * another one is created, and `call` is repeated once. Throws the error of `call`, `top_up_closed`, and `unavailable`.
 */
export async function withCustomer<Answer>(
  context: StripeContext,
  { accountId }: { accountId: string },
  call: (customer: string) => Promise<Answer>,
): Promise<Answer> {
  const customer = await obtainCustomer(context, { accountId })
  try {
    return await call(customer)
  } catch (error) {
    if (!isLostCustomer(readFault(error))) throw error
    await forgetCustomer(context, { accountId, customer })
    return call(await obtainCustomer(context, { accountId }))
  }
}

/**
 * Forgets a customer that Stripe does not know, with the saved card, and switches automatic top-ups off. Does nothing if the
 * account has another customer now. Does not detach the card: Stripe does not know it either.
 */
export async function forgetCustomer(
  { sql, log }: Pick<StripeContext, 'sql' | 'log'>,
  { accountId, customer }: { accountId: string; customer: string },
): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`select lock_balance(${accountId})`
    const [forgotten] = await transaction`
      update stripe_customers set customer_id = null, tries = tries + 1
      where account_id = ${accountId} and customer_id = ${customer} returning account_id`
    if (!forgotten) return
    await transaction`
      update saved_cards set removed_at = now() where account_id = ${accountId} and removed_at is null`
    await transaction`select stop_without_card(${accountId})`
    log.warn({ accountId, customer }, 'Stripe does not know a customer, who is forgotten with the saved card')
  })
}
