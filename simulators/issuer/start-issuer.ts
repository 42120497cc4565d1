import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider from 'oidc-provider'
import { listen } from '../../platform/http/listen.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { renderPage } from '../../platform/pages/render-page.ts'
import { type IssuerClient, issuerSettings } from './issuer-settings.ts'

interface IssuerOptions extends IssuerClient {
  port?: number
  host?: string
}

interface RunningIssuer {
  /** The issuer identifier. */
  readonly url: string
  close(): Promise<void>
}

/** Maximum size of the form, in bytes. */
const maxFormBytes = 10_000

/**
 * Starts an OpenID Connect issuer at which everyone signs in as the person that they type into its form, without a
 * password. The e-mail address in lower case is the subject.
 */
export async function startIssuer(options: IssuerOptions): Promise<RunningIssuer> {
  const { port = 0, host = '127.0.0.1', ...client } = options
  const people = new Map<string, Record<string, unknown>>()
  const server = createServer()
  const listening = await listen(server, { host, port })
  const provider = new Provider(listening.url, {
    ...(await issuerSettings(client)),
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    // Without the provider's dispatcher, which refuses loopback addresses.
    fetch: (url, request) => {
      const plain = { ...request, dispatcher: undefined }
      return fetch(String(url), plain)
    },
  })
  const serve = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return void serve(request, response)
    if (request.method === 'GET') return sendForm(response)
    void receiveForm(provider, people, request, response).catch(() => response.writeHead(400).end())
  })
  return { url: listening.url, close: () => listening.drain(0) }
}

const body = `<h1>Simulated issuer</h1>
<p class="muted">Sign in as any person. There are no passwords.</p>
<form method="post">
<p><label>E-mail address<br><input name="email" type="email" required autofocus></label></p>
<p><label>Name<br><input name="name"></label></p>
<p><label><input name="is_verified" type="checkbox" checked> The address is verified</label></p>
<p><button class="primary">Sign in</button> <button name="is_refused" value="yes" formnovalidate>Refuse the sign-in</button></p>
</form>`

/** Without a policy for forms: browsers would apply it to the redirect to the service, too. */
const policy = ["style-src 'unsafe-inline'", 'img-src data:']

function sendForm(response: ServerResponse): void {
  const { html } = renderPage({ title: 'Simulated issuer', badge: 'Simulator', body })
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; ${policy.join('; ')}`,
  })
  response.end(html)
}

async function receiveForm(
  provider: Provider,
  people: Map<string, Record<string, unknown>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = new URLSearchParams((await readBody(request, maxFormBytes)).toString())
  const email = (form.get('email') ?? '').trim().toLowerCase()
  if (form.has('is_refused') || email === '')
    return provider.interactionFinished(request, response, { error: 'access_denied' })
  people.set(email, {
    email,
    email_verified: form.has('is_verified'),
    name: form.get('name') || undefined,
  })
  await provider.interactionFinished(request, response, { login: { accountId: email } })
}
