import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider, { type ClientMetadata } from 'oidc-provider'
import { listen } from '../../../platform/http/listen.ts'
import { issuerSettings } from '../../../simulators/issuer/issuer-settings.ts'
import { serviceOrigin } from './service-origin.ts'

export { serviceOrigin }

/** A person at an issuer. */
export interface PersonAtIssuer {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

/** A real OpenID Connect provider on loopback. Whoever is sent there is signed in as `person`, without a form. */
export interface TestIssuer {
  url: string
  clientId: string
  clientSecret: string
  /** The person whom the next sign-in authenticates. Undefined refuses the sign-in. */
  person: PersonAtIssuer | undefined
  /** Where the service of this issuer's client listens, for log-outs over the back channel. */
  serviceUrl: string
  /** The log-outs that the issuer has sent: their tokens and the statuses of the responses. */
  logouts: { token: string; status: number }[]
  close(): Promise<void>
}

const clientSecret = 'a-client-secret-of-the-tests-000000'

/** Starts an issuer whose only client is the service under `serviceOrigin`. `name` is its name in the settings. */
export async function anIssuer(name: string, metadata: Partial<ClientMetadata> = {}): Promise<TestIssuer> {
  const server = createServer()
  const listening = await listen(server, { host: '127.0.0.1', port: 0 })
  const people = new Map<string, PersonAtIssuer>()
  const issuer: TestIssuer = {
    url: listening.url,
    clientId: `client-of-${name}`,
    clientSecret,
    person: undefined,
    serviceUrl: '',
    logouts: [],
    close: () => listening.drain(0),
  }
  const provider = new Provider(listening.url, {
    ...(await issuerSettings({ ...issuer, name, serviceUrl: serviceOrigin }, metadata)),
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    fetch: async (url, options) => {
      // Without the provider's dispatcher, which refuses loopback addresses.
      const plain = { ...options, dispatcher: undefined }
      const response = await fetch(String(url).replace(serviceOrigin, issuer.serviceUrl), plain)
      const token = new URLSearchParams(String(options?.body)).get('logout_token')
      if (token !== null) issuer.logouts.push({ token, status: response.status })
      return response
    },
  })
  const serve = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return void serve(request, response)
    const { person } = issuer
    if (person) people.set(person.sub, person)
    const result = person ? { login: { accountId: person.sub } } : { error: 'access_denied' }
    void provider.interactionFinished(request, response, result)
  })
  return issuer
}
