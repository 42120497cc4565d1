import { exportJWK, generateKeyPair } from 'jose'
import type { ClientMetadata, Configuration } from 'oidc-provider'

/** The only client of an issuer: a Rubicon service. */
export interface IssuerClient {
  clientId: string
  clientSecret: string
  /** The URL of the service, and the name of this issuer in its settings. */
  serviceUrl: string
  name: string
}

/**
 * Returns settings of an oidc-provider with one client, without a page of consent. People have the claims of the scopes
 * `email` and `profile`, and `groups`. The signing key is new in each process.
 */
export async function issuerSettings(
  { clientId, clientSecret, serviceUrl, name }: IssuerClient,
  metadata: Partial<ClientMetadata> = {},
): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const client = {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [`${serviceUrl}/account/sso/${name}/callback`],
    post_logout_redirect_uris: [`${serviceUrl}/`],
    backchannel_logout_uri: `${serviceUrl}/account/sso/${name}/logout`,
    backchannel_logout_session_required: true,
    ...metadata,
  }
  const hour = 3_600
  return {
    clients: [client],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [clientSecret] },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    pkce: { required: () => true },
    ttl: { AccessToken: hour, Grant: hour, IdToken: hour, Interaction: hour, Session: hour },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const { session } = oidc
      if (!oidc.client || !session?.accountId) return undefined
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: session.accountId,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}
