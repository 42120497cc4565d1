import type { Next } from 'koa'
import { readEvent } from '../../domain/billing/read-event.ts'
import { receiveEvent } from '../../domain/billing/receive-event.ts'
import type { CallRates } from '../../domain/callers/call-rates.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { renderPage } from '../../platform/pages/render-page.ts'
import { Problem } from '../../schema/errors.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-context.ts'

/** The paths to which Stripe sends events and to which Checkout returns. */
export const webhookPath = '/api/v1/webhooks/stripe'
export const returnPath = '/api/v1/billing/topup/done'

/** Maximum size of an event, in bytes. Events about payments have a few thousand. */
const maxEventBytes = 262_144

/**
 * Receives Stripe's events. The signature covers the unparsed body and is the only accepted credential. Each refused
 * event counts as a call of its address, so that strangers cannot keep the process busy with verification. Every signed
 * event is answered with 200, even if it has no effect; the log has the outcome. Failures of this service are answered
 * with 5xx, so that Stripe sends the event again.
 */
export function mountWebhook(services: SubgraphServices, rates: CallRates) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path !== webhookPath) return next()
    if (ctx.method !== 'POST') {
      ctx.set('allow', 'POST')
      throw new Problem('method_not_allowed')
    }
    const { address } = ctx.state.call
    rates.check(address)
    const { context, payments } = services
    const body = await readBody(ctx.req, maxEventBytes)
    const read = readEvent({ ...context, payments }, { body, signature: ctx.get('stripe-signature') })
    const event = await read.catch(async error => {
      await rates.count(address)
      throw error
    })
    const { outcome } = await receiveEvent(context, event)
    ctx.state.line = { event: event.id, outcome }
    ctx.body = { received: true }
  }
}

/** Serves the page to which Checkout returns if TOP_UP_RETURN_URL is not set. */
export function mountReturnPage() {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path !== returnPath || ctx.method !== 'GET') return next()
    ctx.type = 'text/html'
    ctx.set('content-security-policy', returnPage.contentSecurityPolicy)
    ctx.body = returnPage.html
  }
}

const returnPage = renderPage({
  title: 'Top-up',
  body: `
<h1>You can close this page</h1>
<p>The amount is added to your credits when the payment processor confirms the payment. This takes a few seconds for
cards and several days for bank payments.</p>`,
})
