import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { findCustomer, type StripeContext, withCustomer } from './find-customer.ts'
import { failWithStripe, isLostCustomer, readFault } from './stripe-faults.ts'

/** The billing details of an account's Stripe customer. Customers enter them on Stripe's pages. */
export interface BillingDetails {
  name: string | null
  email: string | null
  /** The lines of the address, the last of which is the country's code; empty if there is none. */
  address: string[]
  /** Tax IDs, such as VAT numbers. */
  taxIds: string[]
}

/**
 * Reads the billing details from Stripe; undefined if the account has no Stripe customer, or if Stripe does not know
 * the customer. Throws `unavailable` if Stripe does not respond.
 */
export async function readBillingDetails(
  context: StripeContext,
  { accountId }: { accountId: string },
): Promise<BillingDetails | undefined> {
  const id = await findCustomer(context, { accountId })
  if (id === undefined) return undefined
  const client = await context.payments.client()
  try {
    const customer = await client.customers.retrieve(id, { expand: ['tax_ids'] })
    if (customer.deleted) return undefined
    const { line1, line2, postal_code, city, state, country } = customer.address ?? {}
    return {
      name: customer.name ?? null,
      email: customer.email,
      address: [line1, line2, postal_code, city, state, country].flatMap(part => part || []),
      taxIds: customer.tax_ids?.data.map(({ value }) => value) ?? [],
    }
  } catch (error) {
    if (isLostCustomer(readFault(error))) return undefined
    throw failWithStripe(context, { accountId, cause: error, message: 'Stripe did not return a customer' })
  }
}

/**
 * Creates a session of Stripe's billing portal, in which the customer edits the billing details and downloads invoices,
 * and returns its URL. Throws `billing_portal_closed` if the operator has not enabled the portal, and `unavailable` if
 * Stripe does not respond.
 */
export async function openBillingPortal(
  context: StripeContext & Pick<Context, 'config'>,
  { accountId }: { accountId: string },
): Promise<{ url: string }> {
  const { config, payments } = context
  const client = await payments.client()
  const return_url = config.topUpReturnUrl || config.baseUrl
  try {
    const session = await withCustomer(context, { accountId }, customer =>
      client.billingPortal.sessions.create({ customer, return_url }),
    )
    return { url: session.url }
  } catch (error) {
    const message = 'Stripe did not open its billing portal'
    const problem = failWithStripe(context, { accountId, cause: error, message })
    // Stripe refuses a session while the portal has no configuration, or if the key lacks the permission.
    const isClosed = ['StripeInvalidRequestError', 'StripePermissionError'].includes(readFault(error).type)
    throw isClosed ? new Problem('billing_portal_closed') : problem
  }
}
