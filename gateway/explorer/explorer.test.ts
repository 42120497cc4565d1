import { runInNewContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { pageIcon } from '../../platform/pages/render-page.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { renderExplorer } from './render-explorer.ts'
import { sessionScript } from './session-script.ts'
import { startScript } from './start-script.ts'

const control = perFile(aControlPlane)

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const open = (headers: Record<string, string> = browser, path = '/graphql') =>
  fetch(`${control.url}${path}`, { headers })

test('a browser gets GraphiQL, whole: nothing of it is loaded from elsewhere', async () => {
  const page = await open()
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe|blob:/)
  const html = await page.text()
  expect(html.includes('React.createElement(GraphiQL')).toBe(true)
  const markup = html.replace(/<(script|style)>[\s\S]*?<\/\1>/g, '')
  expect([...markup.matchAll(/\b(?:src|href)="(?!data:)[^"]*"/g)].map(String)).toEqual(['href="/docs"'])
  expect(/@import|url\(\s*["']?https?:/.exec(html)?.[0]).toBeUndefined()

  const again = await open({ ...browser, 'if-none-match': page.headers.get('etag') ?? '' })
  expect([again.status, (await again.text()).length]).toEqual([304, 0])
  const edited = await open(browser, '/graphql?query={__typename}')
  expect(edited.headers.get('etag')).toBe(page.headers.get('etag'))
  const plain = await open({ ...browser, 'accept-encoding': 'identity' })
  expect([plain.headers.get('content-encoding'), (await plain.text()) === html]).toEqual([null, true])
})

test('the page of GraphiQL fits small screens, carries no font and is under 400 kB compressed', async () => {
  const { gzipped } = await renderExplorer()
  expect(gzipped.length).toBeLessThan(400_000)
  const page = gunzipSync(gzipped).toString()
  const head = page.slice(0, page.indexOf('<script>'))
  expect(head.includes('<meta name="viewport" content="width=device-width, initial-scale=1">')).toBe(true)
  expect(head.includes('@font-face')).toBe(false)
  expect(head.includes(`<link rel="icon" href="${pageIcon}">`)).toBe(true)
})

test('a visit opens a tab that exists: of the address, else the last one, else the first', () => {
  const stored = JSON.stringify({
    tabs: [{ query: 'a' }, { query: 'b', variables: '{}' }],
    activeTabIndex: 1,
  })
  expect(started({ search: '?query=c', stored })).toMatchObject({ query: 'c', defaultTabs: [{ query: 'c' }] })
  expect(started({ stored })).toMatchObject({ query: 'b', variables: '{}' })
  for (const broken of [undefined, 'null', '{', '{"tabs":[]}']) {
    const { query, defaultTabs } = started({ stored: broken })
    expect([query, defaultTabs.length]).toEqual([defaultTabs[0]?.query, 3])
  }
})

test('the explorer sends queries as requests and subscriptions as server-sent events', () => {
  const { fetcher } = started({})
  const sent = (query: string, operationName?: string) =>
    fetcher({ query, operationName }, { documentAST: parse(query), headers: {} })
  const both = 'query A { x } subscription B { y }'
  expect([sent('{ x }'), sent('subscription { y }'), sent(both, 'A'), sent(both, 'B')]).toEqual([
    'request',
    'event stream',
    'request',
    'event stream',
  ])
})

test('the history is stored without headers', () => {
  const written = new Map<string, string>()
  const { storage } = started({ written })
  storage.setItem('graphiql:theme', 'dark')
  storage.setItem('graphiql:queries', '{"queries":[{"query":"a","headers":"secret"}]}')
  expect(Object.fromEntries(written)).toEqual({
    'graphiql:theme': 'dark',
    'graphiql:queries': '{"queries":[{"query":"a"}]}',
  })
})

interface Started {
  storage: Pick<Storage, 'setItem'>
  query: string
  variables?: string
  defaultTabs: { query: string }[]
  fetcher(operation: object, options: object): string
}

/** The properties that the script gives to GraphiQL. */
function started({
  search = '',
  stored,
  written,
}: {
  search?: string
  stored?: string | undefined
  written?: Map<string, string>
}): Started {
  let props: unknown
  const window = {
    location: { pathname: '/graphql', search },
    localStorage: {
      getItem: (name: string) => (name === 'graphiql:tabState' ? (stored ?? null) : null),
      setItem: (name: string, value: string) => written?.set(name, value),
    },
  }
  runInNewContext(startScript, {
    window,
    document: { querySelector: () => undefined },
    URLSearchParams,
    GraphiQL: { createFetcher: () => () => 'request' },
    graphqlSse: { createClient: () => ({ iterate: () => 'event stream' }) },
    React: { createElement: (_: unknown, given: unknown) => (props = given) },
    ReactDOM: { createRoot: () => ({ render() {} }) },
  })
  return props as Started
}

test('a client of the graph gets the graph, also by GET', async () => {
  const answer = await open({ accept: 'application/json' }, '/graphql?query={__typename}')
  expect(await answer.json()).toMatchObject({ data: { __typename: 'Query' } })
})

test('where the schema may not be asked for there is no explorer', async () => {
  const shut = forThisTest(await aControlPlane({ GRAPH_INTROSPECTION: 'false' }))
  const answer = await fetch(`${shut.url}/graphql`, { headers: browser })
  expect(answer.headers.get('content-type')).not.toContain('text/html')
})

test('one click signs in, with what the address carries; requests then carry the session, also when it was refreshed', async () => {
  const { email, password } = await control.aPerson()
  const page = aPage(new URLSearchParams({ email, password }))
  expect([page.form.elements.email.value, page.form.elements.password.value]).toEqual([email, password])
  expect(page.shown.address).toBe('/graphql')

  const me = async () => {
    const body = JSON.stringify({ query: '{ viewer { user { email } } }' })
    const headers = { 'content-type': 'application/json' }
    return (await page.window.fetch('/graphql', { method: 'POST', headers, body })).json()
  }
  expect((await me()).errors[0].extensions.problem).toBe('unauthenticated')
  await page.submit()
  expect(page.note.textContent).toBe(`Signed in as ${email}`)
  expect((await me()).data.viewer.user).toEqual({ email })

  const session = JSON.parse(page.stored.get('session') ?? '')
  page.stored.set('session', JSON.stringify({ ...session, expiresAt: new Date().toISOString() }))
  const [one, other] = await Promise.all([me(), me()])
  expect([one.data.viewer.user, other.data.viewer.user]).toEqual([{ email }, { email }])
  expect(JSON.parse(page.stored.get('session') ?? '').refreshToken).not.toBe(session.refreshToken)

  page.form.elements.password.value = 'wrong password'
  page.signOut()
  await page.submit()
  expect(page.note.textContent).toBe('The e-mail address or password is wrong.')
})

/** As much of a browser's page as the script uses. */
function aPage(fragment: URLSearchParams) {
  const stored = new Map<string, string>()
  const shown = { address: '' }
  const note = { textContent: '' }
  let onSubmit: (event: { preventDefault(): void }) => Promise<void> = async () => {}
  let onSignOut = () => {}
  const form = {
    elements: {
      email: { value: '' },
      password: { value: '' },
      out: { addEventListener: (_: string, listener: () => void) => (onSignOut = listener) },
    },
    classList: { toggle: () => true },
    addEventListener: (_: string, listener: typeof onSubmit) => {
      onSubmit = listener
    },
  }
  const { url } = control
  const window = {
    sessionStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    },
    location: { hash: `#${fragment}`, pathname: '/graphql', origin: url, href: `${url}/graphql` },
    history: { replaceState: (_: null, __: string, address: string) => (shown.address = address) },
    fetch: (address: string, init: RequestInit) => fetch(new URL(address, url), init),
  }
  const document = { querySelector: (name: string) => (name === '#sign-in' ? form : note) }
  runInNewContext(sessionScript, { window, document, URL, URLSearchParams, Headers, Request, JSON, Date })
  const event = { preventDefault() {} }
  return { window, form, note, stored, shown, submit: () => onSubmit(event), signOut: () => onSignOut() }
}
