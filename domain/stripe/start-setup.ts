import type { Context } from '../context.ts'
import { type StripeContext, withCustomer } from './find-customer.ts'
import { failWithStripe } from './stripe-faults.ts'

/**
 * Creates a page of Stripe on which the customer saves a card for automatic top-ups, and returns its URL. An event
 * reports the saved card. Throws `top_up_closed`, and `unavailable` if Stripe does not respond.
 */
export async function startSetup(
  context: StripeContext & Pick<Context, 'config'>,
  { accountId }: { accountId: string },
): Promise<{ url: string }> {
  const { config, payments } = context
  const client = await payments.client()
  const returnUrl = config.topUpReturnUrl || `${config.baseUrl}/api/v1/billing/topup/done`
  try {
    const { url } = await withCustomer(context, { accountId }, customer =>
      client.checkout.sessions.create({
        mode: 'setup',
        customer,
        allowed_payment_method_types: ['card'],
        success_url: returnUrl,
        cancel_url: returnUrl,
        ...(config.stripeInvoices === 'tax' && { billing_address_collection: 'required' }),
      }),
    )
    if (url === null) throw new Error('The session has no page')
    return { url }
  } catch (error) {
    const message = 'Stripe did not create a page to save a card'
    throw failWithStripe(context, { accountId, cause: error, message })
  }
}
