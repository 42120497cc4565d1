import { callAuth } from './rest.ts'

/** An issuer of single sign-on. */
export interface Issuer {
  name: string
  title: string
}

export function findIssuers(email: string): Promise<Issuer[]> {
  return callAuth('GET', `sso/issuers?${new URLSearchParams({ email })}`)
}

/** The verifier proves that the tab that exchanges the code also began the sign-in. It is stored while the issuer's page is open. */
const verifierKey = 'sign-in-verifier'

/** Opens the issuer's page, which leads back to a page of the console with a code in the fragment of its address. */
export async function openIssuer({ name }: Pick<Issuer, 'name'>, returnTo: string): Promise<void> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  sessionStorage.setItem(verifierKey, verifier)
  const query = new URLSearchParams({
    code_challenge: base64url(new Uint8Array(digest)),
    return_to: `/console${returnTo}`,
  })
  location.assign(`/account/sso/${name}?${query}`)
}

/** Returns the verifier of the sign-in that led back to this page. It works once. */
export function takeVerifier(): string {
  const verifier = sessionStorage.getItem(verifierKey) ?? ''
  sessionStorage.removeItem(verifierKey)
  return verifier
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
