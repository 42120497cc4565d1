import type { Next } from 'koa'
import {
  beginSignIn,
  type SignInContext,
  signInLifetimeMs,
} from '../../domain/single-sign-on/begin-sign-in.ts'
import { openIssuers } from '../../domain/single-sign-on/open-issuers.ts'
import { receiveLogout } from '../../domain/single-sign-on/receive-logout.ts'
import { receiveSignIn } from '../../domain/single-sign-on/receive-sign-in.ts'
import { signInPath } from '../../domain/single-sign-on/return-target.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { escapeHtml } from '../../platform/pages/escape-html.ts'
import { renderPage } from '../../platform/pages/render-page.ts'
import { asProblem, Problem } from '../../schema/errors.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-context.ts'

/** Maximum size of the body of a back-channel log-out, in bytes. */
const maxLogoutBytes = 32_768

/** The addresses of an issuer: to begin a sign-in, to which the issuer sends the browser, and for its log-outs. */
const address = /^\/account\/sso\/([a-z0-9-]{1,40})(\/callback|\/logout)?$/

type Handler = (context: SignInContext, ctx: ControlContext, issuer: string) => Promise<void>

/**
 * Serves single sign-on to browsers and issuers: `GET /account/sso/{issuer}`, `GET /account/sso/{issuer}/callback` and
 * `POST /account/sso/{issuer}/logout` (docs/sign-in.md). It changes no user and no account; the client exchanges the
 * code that it gets for a session or a link.
 */
export function mountSingleSignOn({ context, tries }: SubgraphServices) {
  const issuers = openIssuers(context.config, context.clock)
  const handlers: Record<string, { method: string; handle: Handler }> = {
    '': { method: 'GET', handle: begin },
    '/callback': { method: 'GET', handle: receive },
    '/logout': { method: 'POST', handle: logOut },
  }
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const [, issuer, action = ''] = address.exec(ctx.path) ?? []
    const handler = handlers[action]
    if (issuer === undefined || !handler) return next()
    ctx.set('referrer-policy', 'no-referrer')
    if (ctx.method !== handler.method) {
      ctx.set('allow', handler.method)
      throw new Problem('method_not_allowed')
    }
    await handler.handle({ ...context, issuers, tries }, ctx, issuer)
  }
}

async function begin(context: SignInContext, ctx: ControlContext, issuer: string): Promise<void> {
  await orPage(ctx, async () => {
    const { url, browserSecret } = await beginSignIn(context, {
      issuer,
      codeChallenge: parameter(ctx, 'code_challenge') ?? '',
      returnTo: parameter(ctx, 'return_to'),
      address: ctx.state.call.address,
    })
    setCookie(context, ctx, browserSecret)
    redirect(ctx, url.href)
  })
}

async function receive(context: SignInContext, ctx: ControlContext, issuer: string): Promise<void> {
  await orPage(ctx, async () => {
    const browserSecret = ctx.cookies.get(cookieName(context))
    const received = await receiveSignIn(context, { issuer, query: ctx.querystring, browserSecret })
    setCookie(context, ctx, '')
    if (received.problem) {
      ctx.state.problem = received.problem
      context.log.warn(
        { issuer, error: received.problem.code, internal: received.problem.details.internal },
        'a sign-in failed',
      )
    }
    redirect(ctx, received.url)
  })
}

/** Answers as OpenID Connect Back-Channel Logout requires (2.8): 200, or 400 with `error`. */
async function logOut(context: SignInContext, ctx: ControlContext, issuer: string): Promise<void> {
  if (!ctx.is('application/x-www-form-urlencoded')) throw new Problem('unsupported_media_type')
  const form = new URLSearchParams((await readBody(ctx.req, maxLogoutBytes)).toString())
  const [token = '', ...others] = form.getAll('logout_token')
  const { address: from, requestId } = ctx.state.call
  try {
    if (others.length > 0) throw new Problem('logout_token_refused')
    const ended = await receiveLogout(context, { issuer, token, address: from, requestId })
    ctx.state.line = { issuer, ended }
    ctx.body = {}
  } catch (error) {
    const problem = asProblem(error)
    if (problem.errorName !== 'logout_token_refused') throw error
    ctx.state.problem = problem
    ctx.status = 400
    ctx.body = { error: 'invalid_request', error_description: problem.message }
  }
}

/** Returns a parameter of the query. Throws `validation_failed` if it is repeated. */
function parameter(ctx: ControlContext, name: string): string | undefined {
  const value = ctx.query[name]
  if (Array.isArray(value))
    throw new Problem('validation_failed', { param: name, message: `${name} is repeated.` })
  return value
}

/** With HTTPS, the prefix `__Host-` keeps other hosts of the domain from setting the cookie. */
function cookieName({ config }: SignInContext): string {
  return config.baseUrl.startsWith('https:') ? '__Host-rubicon-sign-in' : 'rubicon-sign-in'
}

/** Sets the cookie that binds a sign-in to its browser. An empty value removes it. */
function setCookie(context: SignInContext, ctx: ControlContext, value: string): void {
  const isSecure = context.config.baseUrl.startsWith('https:')
  const parts = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${value ? signInLifetimeMs / 1000 : 0}`]
  ctx.append(
    'set-cookie',
    [`${cookieName(context)}=${value}`, ...parts, ...(isSecure ? ['Secure'] : [])].join('; '),
  )
}

function redirect(ctx: ControlContext, url: string): void {
  ctx.status = 303
  ctx.set('location', url)
}

/** Responds to a browser with a page if the request fails: no client waits for an error body. */
async function orPage(ctx: ControlContext, respond: () => Promise<void>): Promise<void> {
  try {
    await respond()
  } catch (error) {
    const problem = asProblem(error)
    if (problem.errorName === 'internal') throw error
    ctx.state.problem = problem
    const again = `<p><a href="${signInPath}">Sign in again</a></p>`
    const body = `<h1>Sign-in failed</h1><p>${escapeHtml(problem.message)}</p>${again}`
    const { html, contentSecurityPolicy } = renderPage({ title: 'Sign-in failed', body })
    ctx.status = problem.status
    ctx.type = 'text/html'
    ctx.set('content-security-policy', contentSecurityPolicy)
    const { retryAfterSeconds } = problem.details
    if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(retryAfterSeconds))
    ctx.body = html
  }
}
