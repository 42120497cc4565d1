import {
  Client,
  type CombinedError,
  cacheExchange,
  fetchExchange,
  mapExchange,
  subscriptionExchange,
} from 'urql'
import { reportUnanswered } from '../session/connection.ts'
import { lazySubscriptions } from './subscriptions.ts'

const url = '/graphql'

/** The credential with which a client calls the graph. */
export interface Credential {
  /** Resolves to the token of the time; undefined if there is none. */
  token(): Promise<string | undefined>
  /** Called if the graph refuses the token. */
  refused(): void
}

/** Opens a client of the graph. Its cache belongs to the credential, so each credential has its own client. */
export function openClient({ token, refused }: Credential): Client {
  const authorizedFetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const sent = await token()
    const headers = new Headers(init.headers)
    if (sent !== undefined) headers.set('authorization', `Bearer ${sent}`)
    const response = await fetch(input, { ...init, headers }).catch(error => {
      if (!init.signal?.aborted) reportUnanswered()
      throw error
    })
    if (response.status >= 500) reportUnanswered()
    return response
  }
  return new Client({
    url,
    fetch: authorizedFetch,
    requestPolicy: 'cache-and-network',
    preferGetMethod: false,
    exchanges: [
      cacheExchange,
      mapExchange({
        onError: error => {
          if (isRefusal(error)) refused()
        },
      }),
      fetchExchange,
      subscriptionExchange({ forwardSubscription: lazySubscriptions(url, token) }),
    ],
  })
}

function isRefusal(error: CombinedError): boolean {
  const problems = error.graphQLErrors.map(({ extensions }) => extensions.problem)
  return problems.includes('unauthenticated') || problems.includes('token_expired')
}
