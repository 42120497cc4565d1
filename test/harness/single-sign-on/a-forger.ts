import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { listen } from '../../../platform/http/listen.ts'

/** An issuer that signs whatever a test wants. A real one would refuse to. */
export interface Forger {
  url: string
  clientId: string
  clientSecret: string
  /** Changes the claims of the next ID tokens. `nonce` is the nonce of the authorization request. */
  claims: Record<string, unknown>
  /** How ID tokens are signed: by the published key, by another key, or not at all. */
  signature: 'right' | 'foreign' | 'none'
  /** Fields of the discovery document beside the endpoints. */
  metadata: Record<string, unknown>
  /** Status of the token endpoint. */
  tokenStatus: number
  /** Signs a logout token with changed claims. */
  logoutToken(
    claims?: Record<string, unknown>,
    header?: { alg?: 'none'; typ?: string; key?: 'foreign' },
  ): Promise<string>
  close(): Promise<void>
}

/** Starts a forger. It authenticates everyone as the subject `victim`, without a form. */
export async function aForger(): Promise<Forger> {
  const [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const keys = [{ ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
  const nonces = new Map<string, string>()
  let codes = 0
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', forger.url)
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/keys') return send(200, { keys })
    if (url.pathname === '/authorize') {
      const code = `code-${++codes}`
      nonces.set(code, url.searchParams.get('nonce') ?? '')
      const back = new URL(url.searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      return response.writeHead(302, { location: back.href }).end()
    }
    if (url.pathname === '/token') {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      const form = new URLSearchParams(Buffer.concat(parts).toString())
      const idToken = await sign(nonces.get(form.get('code') ?? ''))
      if (forger.tokenStatus !== 200) return send(forger.tokenStatus, { broken: true })
      return send(200, { access_token: 'a', token_type: 'bearer', id_token: idToken })
    }
    return send(200, {
      issuer: forger.url,
      authorization_endpoint: `${forger.url}/authorize`,
      token_endpoint: `${forger.url}/token`,
      jwks_uri: `${forger.url}/keys`,
      id_token_signing_alg_values_supported: ['RS256', 'none'],
      ...forger.metadata,
    })
  })
  const listening = await listen(server, { host: '127.0.0.1', port: 0 })

  const forger: Forger = {
    url: listening.url,
    clientId: 'forged-client',
    clientSecret: 'forged-secret',
    claims: {},
    signature: 'right',
    metadata: {},
    tokenStatus: 200,
    logoutToken(claims = {}, { alg, typ = 'logout+jwt', key } = {}) {
      const payload = {
        ...standard(),
        jti: `logout-${++codes}`,
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      }
      if (alg === 'none') return Promise.resolve(new UnsecuredJWT(payload).encode())
      const signer = key === 'foreign' ? foreign : own
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: 'one', typ })
        .sign(signer.privateKey)
    },
    close: () => listening.drain(0),
  }

  function standard(): JWTPayload {
    const now = Math.floor(Date.now() / 1000)
    return { iss: forger.url, aud: forger.clientId, sub: 'victim', iat: now, exp: now + 120 }
  }

  function sign(nonce: string | undefined): Promise<string> {
    const payload = { ...standard(), nonce, sid: 'session-1', ...forger.claims }
    if (forger.signature === 'none') return Promise.resolve(new UnsecuredJWT(payload).encode())
    const { privateKey } = forger.signature === 'right' ? own : foreign
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
  }
  return forger
}
