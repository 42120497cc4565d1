import { renderPage } from '../../platform/pages/render-page.ts'
import { errorCatalogue } from '../../schema/error-catalogue.ts'

/** The texts of the errors with which a browser can return. */
const { sign_in_refused, sign_in_expired, issuer_unavailable } = errorCatalogue
const texts = Object.entries({ sign_in_refused, sign_in_expired, issuer_unavailable }).map(
  ([name, { text }]) => [name, text],
)

/**
 * The script of the page. It looks up the issuers of an e-mail address, begins a sign-in with a verifier that only this
 * tab knows, and exchanges the code with which the browser returns. The explorer uses the session of the tab.
 */
const script = /* JavaScript */ `
const form = document.querySelector('form')
const list = document.querySelector('ul')
const status = document.querySelector('[role=status]')
const store = window.sessionStorage
const base64url = bytes =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

const texts = new Map(${JSON.stringify(texts)})

const begin = async url => {
  if (!crypto.subtle) return void (status.textContent = 'Single sign-on needs a connection with HTTPS.')
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  store.setItem('sign-in-verifier', verifier)
  location.assign(url + '?code_challenge=' + challenge)
}

const failed = async answer => {
  const said = answer && (await answer.json().catch(() => undefined))
  status.textContent = said ? said.msg : 'The service does not answer. Try again.'
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  status.textContent = ''
  list.replaceChildren()
  const query = new URLSearchParams({ email: form.elements.email.value })
  const answer = await fetch('/api/v1/auth/sso/issuers?' + query).catch(() => undefined)
  if (!answer || !answer.ok) return failed(answer)
  const issuers = await answer.json()
  if (issuers.length === 0) status.textContent = 'There is no single sign-on for this address.'
  for (const { name, title } of issuers) {
    const button = document.createElement('button')
    button.textContent = 'Continue with ' + title
    button.addEventListener('click', () => begin('/account/sso/' + name))
    list.append(document.createElement('li'))
    list.lastChild.append(button)
  }
})

const complete = async code => {
  const code_verifier = store.getItem('sign-in-verifier') || ''
  store.removeItem('sign-in-verifier')
  const answer = await fetch('/api/v1/auth/sso/exchange', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, code_verifier }),
  }).catch(() => undefined)
  if (!answer || !answer.ok) return failed(answer)
  const { access_token: accessToken, expires_at: expiresAt, refresh_token: refreshToken, account } = await answer.json()
  store.setItem('session', JSON.stringify({ accessToken, expiresAt, refreshToken, email: account.name }))
  form.hidden = true
  status.textContent = 'You are signed in to ' + account.name + '. '
  const link = document.createElement('a')
  link.href = '/graphql'
  link.textContent = 'Explore the graph'
  status.append(link)
}

const fragment = new URLSearchParams(location.hash.slice(1))
history.replaceState(null, '', location.pathname)
if (fragment.has('sso_code')) complete(fragment.get('sso_code'))
if (fragment.has('sso_error')) status.textContent = texts.get(fragment.get('sso_error')) || 'The sign-in failed. Try again.'
`

const body = `
<h1>Sign in</h1>
<form>
<p><label>E-mail address<br><input name="email" type="email" autocomplete="username" required></label></p>
<p><button class="primary">Continue</button></p>
</form>
<ul></ul>
<p role="status"></p>`

const style = '[role=status]:empty, ul:empty { display: none } ul { list-style: none; padding: 0 }'

/** The page `/account/sign-in`: single sign-on for people who have no other client. */
export const signInPage = renderPage({
  title: 'Sign in',
  body,
  style,
  script,
  policy: ["connect-src 'self'"],
})
