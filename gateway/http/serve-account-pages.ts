import type { Next } from 'koa'
import { maxPasswordLength, minPasswordLength } from '../../domain/accounts/open-account.ts'
import { signInPath } from '../../domain/single-sign-on/return-target.ts'
import { type RenderedPage, renderPage } from '../../platform/pages/render-page.ts'
import type { ControlContext } from './control-context.ts'
import { signInPage } from './sign-in-page.ts'

/** The pages that links in e-mails open. The console has its own. */
export const mailedLinkPaths = [
  '/account/confirm-email',
  '/account/reset-password',
  '/account/accept-invitation',
  '/account/change-email',
  '/account/reopen-account',
] as const

/**
 * Serves the pages that links in e-mails open, unless the console serves them. The token is in the fragment of the address,
 * which browsers do not send. The page sends it when its reader presses the button, so that a program that only opens
 * links uses none of them.
 */
export function mountAccountPages() {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const page = pages.get(ctx.path)
    if (page === undefined || ctx.method !== 'GET') return next()
    ctx.type = 'text/html'
    ctx.set({
      'content-security-policy': page.contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    ctx.body = page.html
  }
}

const style = '[role=status]:empty { display: none }'

const script = `
const form = document.querySelector('form')
const status = document.querySelector('[role=status]')
form.addEventListener('submit', async event => {
  event.preventDefault()
  const token = location.hash.slice(1)
  const { access_token: session, ...fields } = Object.fromEntries(new FormData(form))
  for (const { name, checked } of form.querySelectorAll('[type=checkbox]')) fields[name] = checked
  status.textContent = ''
  const answer = await fetch(form.action, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(session && { authorization: 'Bearer ' + session }) },
    body: JSON.stringify({ token, ...fields }),
  }).catch(() => undefined)
  if (answer && answer.ok) form.hidden = true
  const said = answer && !answer.ok ? await answer.json().catch(() => undefined) : undefined
  const failed = said ? said.msg : 'The service does not answer. Try again.'
  status.textContent = answer && answer.ok ? form.dataset.done : failed
})
`

const [confirmPath, resetPath, acceptPath, changePath, reopenPath] = mailedLinkPaths

const pages: ReadonlyMap<string, RenderedPage> = new Map([
  [signInPath, signInPage],
  [
    confirmPath,
    compose({
      title: 'Confirm your e-mail address',
      action: '/api/v1/auth/confirm-email',
      done: 'Your address is confirmed. You can close this page.',
      button: 'Confirm',
    }),
  ],
  [
    resetPath,
    compose({
      title: 'Set a new password',
      action: '/api/v1/auth/reset-password',
      done: 'Your password is changed, and all sessions have ended. Log in with the new password.',
      button: 'Set password',
      fields: `
<p><label>New password<br>
<input name="new_password" type="password" minlength="${minPasswordLength}" maxlength="${maxPasswordLength}" autocomplete="new-password" required></label></p>
<p><label><input name="revoke_api_keys" type="checkbox"> Revoke all API keys, because someone else may have had my password</label></p>`,
    }),
  ],
  [
    acceptPath,
    compose({
      title: 'Accept your invitation',
      action: '/api/v1/auth/accept-invitation',
      done: 'You are a member of the account. Log in to use it.',
      button: 'Accept',
      fields: `
<p><label>New password, if you have not signed up with this address<br>
<input name="password" type="password" minlength="${minPasswordLength}" maxlength="${maxPasswordLength}" autocomplete="new-password"></label></p>`,
    }),
  ],
  [
    changePath,
    compose({
      title: 'Change your e-mail address',
      action: '/api/v1/auth/change-email',
      done: 'Your address is changed. Log in with the new one from now on.',
      button: 'Change address',
      fields: `
<p><label>Access token of your session<br>
<input name="access_token" type="password" autocomplete="off" required></label></p>`,
    }),
  ],
  [
    reopenPath,
    compose({
      title: 'Reopen your account',
      action: '/api/v1/auth/reopen-account',
      done: 'The account is open again. Log in to use it.',
      button: 'Reopen account',
    }),
  ],
])

/** `fields` are inputs, named as the address of the REST API names them. The input `access_token` is the caller's session. */
function compose(texts: {
  title: string
  action: string
  done: string
  button: string
  fields?: string
}): RenderedPage {
  const { title, action, done, button, fields = '' } = texts
  const body = `
<h1>${title}</h1>
<form action="${action}" data-done="${done}">${fields}
<p><button class="primary">${button}</button></p>
</form>
<p role="status"></p>`
  return renderPage({ title, body, style, script, policy: ["connect-src 'self'"] })
}
