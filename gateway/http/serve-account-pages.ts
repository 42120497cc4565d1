import { createHash } from 'node:crypto'
import type { Next } from 'koa'
import { maxPasswordLength, minPasswordLength } from '../../domain/accounts/open-account.ts'
import type { ControlContext } from './control-context.ts'

/**
 * Serves the pages that links in e-mails open. The token is in the fragment of the address, which browsers do not send.
 * The page sends it when its reader presses the button, so that a program that only opens links uses none of them.
 */
export function mountAccountPages() {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const page = pages.get(ctx.path)
    if (page === undefined || ctx.method !== 'GET') return next()
    ctx.type = 'text/html'
    ctx.set({
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    ctx.body = page
  }
}

const style =
  ':root { color-scheme: light dark } body { font: 16px/1.5 system-ui; max-width: 32rem; margin: 15vh auto; padding: 0 1rem } input, button { font: inherit; padding: .4rem .6rem } input { max-width: 100%; box-sizing: border-box } [role=status] { min-height: 1.5em }'

const script = `
const form = document.querySelector('form')
const status = document.querySelector('[role=status]')
form.addEventListener('submit', async event => {
  event.preventDefault()
  const token = location.hash.slice(1)
  const fields = Object.fromEntries(new FormData(form))
  for (const { name, checked } of form.querySelectorAll('[type=checkbox]')) fields[name] = checked
  status.textContent = ''
  const answer = await fetch(form.action, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...fields }),
  }).catch(() => undefined)
  if (answer && answer.ok) form.hidden = true
  const said = answer && !answer.ok ? await answer.json().catch(() => undefined) : undefined
  const failed = said ? said.msg : 'The service does not answer. Try again.'
  status.textContent = answer && answer.ok ? form.dataset.done : failed
})
`

const policy = [
  "default-src 'none'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  `style-src '${digestOf(style)}'`,
  `script-src '${digestOf(script)}'`,
].join('; ')

function digestOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

const pages: ReadonlyMap<string, string> = new Map([
  [
    '/account/confirm-email',
    page({
      title: 'Confirm your e-mail address',
      action: '/api/v1/auth/confirm-email',
      done: 'Your address is confirmed. You can close this page.',
      button: 'Confirm',
    }),
  ],
  [
    '/account/reset-password',
    page({
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
])

/** `fields` are inputs, named as the address of the REST API names them. */
function page(texts: {
  title: string
  action: string
  done: string
  button: string
  fields?: string
}): string {
  const { title, action, done, button, fields = '' } = texts
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
<h1>${title}</h1>
<form action="${action}" data-done="${done}">${fields}
<p><button>${button}</button></p>
</form>
<p role="status"></p>
<script>${script}</script>
</html>
`
}
