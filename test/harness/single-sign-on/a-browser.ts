import { createHash, randomBytes } from 'node:crypto'
import { serviceOrigin } from './service-origin.ts'

/** The response at which a browser stopped, and its URL with the fragment. */
export interface Visited {
  url: string
  status: number
  text: string
  headers: Headers
}

/** A browser with cookies that follows redirects. */
export interface TestBrowser {
  cookies: Map<string, string>
  /** Opens a URL and follows redirects until `stop` accepts the next URL, or a response is no redirect. */
  open(
    url: string,
    options?: { stop?: (url: string) => boolean; form?: Record<string, string> },
  ): Promise<Visited>
  /** Signs in through an issuer, and returns the code and the verifier of the client. */
  signIn(issuer: string, options?: { returnTo?: string; stop?: (url: string) => boolean }): Promise<SignedIn>
}

export interface SignedIn {
  visited: Visited
  /** The fragment of the page to which the browser returned. */
  code: string | undefined
  error: string | undefined
  codeVerifier: string
}

/** Opens a browser without cookies. Requests to `serviceOrigin` are sent to `serviceUrl`. */
export function aBrowser(serviceUrl: string): TestBrowser {
  const jar = new Map<string, Map<string, string>>()
  const cookiesOf = (origin: string) => {
    const known = jar.get(origin) ?? new Map<string, string>()
    jar.set(origin, known)
    return known
  }
  const open: TestBrowser['open'] = async (first, { stop = () => false, form } = {}) => {
    let body = form && new URLSearchParams(form)
    for (let url = first; ; body = undefined) {
      const { origin } = new URL(url)
      const cookies = cookiesOf(origin)
      const cookie = [...cookies].map(pair => pair.join('=')).join('; ')
      const response = await fetch(url.replace(serviceOrigin, serviceUrl), {
        redirect: 'manual',
        headers: { accept: 'text/html', ...(cookie && { cookie }) },
        ...(body && { method: 'POST', body }),
      })
      for (const line of response.headers.getSetCookie()) keep(cookies, line)
      const location = response.headers.get('location')
      const next = location === null ? undefined : new URL(location, url).href
      if (next === undefined || stop(next) || next.includes('#')) {
        const { status, headers } = response
        return { url: next ?? url, status, headers, text: await response.text() }
      }
      await response.body?.cancel()
      url = next
    }
  }
  return {
    cookies: cookiesOf(serviceOrigin),
    open,
    async signIn(issuer, { returnTo, stop } = {}) {
      const codeVerifier = randomBytes(32).toString('base64url')
      const query = new URLSearchParams({ code_challenge: challengeOf(codeVerifier) })
      if (returnTo !== undefined) query.set('return_to', returnTo)
      const visited = await open(`${serviceOrigin}/account/sso/${issuer}?${query}`, { ...(stop && { stop }) })
      const fragment = new URLSearchParams(new URL(visited.url).hash.slice(1))
      const [code, error] = ['sso_code', 'sso_error'].map(name => fragment.get(name) ?? undefined)
      return { visited, code, error, codeVerifier }
    },
  }
}

/** Returns the S256 challenge of a code verifier. */
export function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url')
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ')
  const at = pair.indexOf('=')
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  const isExpired =
    value === '' || attributes.some(attribute => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))
  if (isExpired) cookies.delete(name)
  else cookies.set(name, value)
}
