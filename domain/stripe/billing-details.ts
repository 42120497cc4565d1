import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { findCustomer, obtainCustomer, type StripeContext } from './find-customer.ts'
import { readFault, stripeUnavailable } from './stripe-faults.ts'

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
 * Reads the billing details from Stripe; undefined if the account has no Stripe customer. Throws `unavailable` if Stripe
 * does not respond.
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
    context.log.error({ accountId, error: readFault(error).text }, 'Stripe did not return a customer')
    throw stripeUnavailable(error)
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
  const { config, log, payments } = context
  const client = await payments.client()
  const customer = await obtainCustomer(context, { accountId })
  try {
    const session = await client.billingPortal.sessions.create({
      customer,
      return_url: config.topUpReturnUrl || config.baseUrl,
    })
    return { url: session.url }
  } catch (error) {
    const fault = readFault(error)
    log.error({ accountId, error: fault.text }, 'Stripe did not open its billing portal')
    // Stripe refuses a session while the portal has no configuration, or if the key lacks the permission.
    const isClosed = fault.type === 'StripeInvalidRequestError' || fault.type === 'StripePermissionError'
    throw isClosed ? new Problem('billing_portal_closed') : stripeUnavailable(error)
  }
}
