import type { Next } from 'koa'
import { readEvent } from '../../domain/billing/read-event.ts'
import { receiveEvent } from '../../domain/billing/receive-event.ts'
import type { CallRates } from '../../domain/callers/call-rates.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { renderPage } from '../../platform/pages/render-page.ts'
import { Problem } from '../../schema/errors.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-context.ts'

/** Where Stripe sends its events, and where its Checkout leads back to. */
export const webhookPath = '/api/v1/webhooks/stripe'
export const returnPath = '/api/v1/billing/topup/done'

/** The largest event that is taken, in bytes: those of payments have a few thousand. */
const maxEventBytes = 262_144

/**
 * Takes Stripe's events: the body as it came, whole, before any parser; nobody else's credential counts here
 * but the signature. Each that is refused counts as a call of its address, so that strangers cannot keep the
 * process busy with checking. Every event that is signed is answered with 200, also one that came to nothing:
 * the log says why. What fails on our side is a 5xx, and Stripe sends it again.
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

/** The page to which Checkout leads back where TOP_UP_RETURN_URL names no other. */
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
<p>What was paid is added to the credits as soon as the card processor confirms it, which takes a few seconds by card
and some days by bank.</p>`,
})
