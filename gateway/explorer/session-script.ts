/**
 * The script of the explorer's page that signs in. It runs in the browser, before GraphiQL: a bar with e-mail and
 * password, filled in from the address's fragment, which no server sees. Requests to the graph carry the token of
 * the session, which is refreshed before it ends and kept as long as the tab is open.
 */
export const sessionScript = /* JavaScript */ `
(() => {
  const store = window.sessionStorage
  const plainFetch = window.fetch.bind(window)
  const fragment = new URLSearchParams(window.location.hash.slice(1))
  if (fragment.size > 0) window.history.replaceState(null, '', window.location.pathname)

  const ask = async (query, input) => {
    const body = JSON.stringify({ query, variables: { input } })
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    return (await plainFetch(window.location.pathname, { method: 'POST', headers, body })).json()
  }
  const fields = 'session { accessToken expiresAt refreshToken }'
  const keep = (payload, email) => store.setItem('session', JSON.stringify({ ...payload.session, email }))

  const token = async () => {
    const session = JSON.parse(store.getItem('session') ?? 'null')
    if (!session) return undefined
    if (Date.parse(session.expiresAt) - Date.now() > 60000) return session.accessToken
    const refresh = 'mutation ($input: RefreshSessionInput!) { refreshSession(input: $input) { ' + fields + ' } }'
    const { data } = await ask(refresh, { refreshToken: session.refreshToken })
    if (data?.refreshSession) keep(data.refreshSession, session.email)
    else store.removeItem('session')
    show()
    return data?.refreshSession?.session.accessToken
  }

  let refreshing
  window.fetch = async (resource, init = {}) => {
    const address = new URL(resource instanceof Request ? resource.url : resource, window.location.href)
    const headers = new Headers(init.headers)
    if (address.origin !== window.location.origin || headers.has('authorization')) return plainFetch(resource, init)
    refreshing ??= token().finally(() => { refreshing = undefined })
    const known = await refreshing
    if (known) headers.set('authorization', 'Bearer ' + known)
    return plainFetch(resource, { ...init, headers })
  }

  const form = document.querySelector('#sign-in')
  const note = document.querySelector('#note')
  const show = () => {
    const session = JSON.parse(store.getItem('session') ?? 'null')
    form.classList.toggle('in', session !== null)
    note.textContent = session ? 'Signed in as ' + session.email : 'Or set an Authorization header below.'
  }
  form.elements.email.value = fragment.get('email') ?? ''
  form.elements.password.value = fragment.get('password') ?? ''
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const input = { email: form.elements.email.value, password: form.elements.password.value }
    const { data, errors } = await ask('mutation ($input: LogInInput!) { logIn(input: $input) { ' + fields + ' } }', input)
    if (data?.logIn?.session) keep(data.logIn, input.email)
    show()
    if (data?.logIn && !data.logIn.session)
      note.textContent = 'This user has a second factor: run logIn and completeLogIn, and set an Authorization header below.'
    if (!data?.logIn) note.textContent = errors?.[0]?.message ?? 'That did not work.'
  })
  form.elements.out.addEventListener('click', () => {
    store.removeItem('session')
    show()
  })
  show()
})()
`
