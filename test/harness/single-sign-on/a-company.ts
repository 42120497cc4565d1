import { aSettingsFile } from '../a-context.ts'
import { aControlPlane, type ControlPlane } from '../a-control-plane.ts'
import { aBrowser, type SignedIn, type TestBrowser } from './a-browser.ts'
import { anIssuer, type TestIssuer } from './an-issuer.ts'
import { serviceOrigin } from './service-origin.ts'

/** The accounts of the domains of the two issuers. */
export const acmeAccountId = '0192f3a1-7c4e-7b1a-9d52-3f6e8a1b2c3d'

/** A service with two issuers: `acme` for the domain acme.example, and `open` for everyone. */
export interface Company {
  control: ControlPlane
  acme: TestIssuer
  open: TestIssuer
  browser(): TestBrowser
  /** Exchanges the code of a sign-in for a session. */
  exchange(signedIn: SignedIn, verifier?: string): ReturnType<ControlPlane['rest']>
  /** Signs in with a new browser and exchanges the code. */
  signIn(issuer: 'acme' | 'open'): ReturnType<ControlPlane['rest']>
  close(): Promise<void>
}

/** Starts the service, its issuers, and the account of acme.example. */
export async function aCompany(env: Record<string, string> = {}): Promise<Company> {
  const [acme, open] = await Promise.all([anIssuer('acme'), anIssuer('open')])
  const settingsOf = ({ url, clientId, clientSecret }: TestIssuer) => ({
    issuer: url,
    client_id: clientId,
    client_secret: clientSecret,
  })
  const control = await aControlPlane({
    BASE_URL: serviceOrigin,
    SINGLE_SIGN_ON_FILE: aSettingsFile({
      acme: {
        ...settingsOf(acme),
        title: 'Acme',
        domains: { 'acme.example': acmeAccountId },
        role_claim: 'groups',
        roles: [
          { value: 'platform', role: 'admin' },
          { value: 'engineering', role: 'developer' },
        ],
      },
      open: { ...settingsOf(open), opens_accounts: true },
    }),
    ...env,
  })
  const { sql } = control.context
  await sql`insert into accounts (id, name) values (${acmeAccountId}, 'Acme')`
  await sql`insert into balances (account_id) values (${acmeAccountId}) on conflict do nothing`
  acme.serviceUrl = open.serviceUrl = control.url
  const company: Company = {
    control,
    acme,
    open,
    browser: () => aBrowser(control.url),
    exchange: ({ code, codeVerifier }, verifier = codeVerifier) =>
      control.rest('POST', '/auth/sso/exchange', { body: { code, code_verifier: verifier } }),
    signIn: async issuer => company.exchange(await company.browser().signIn(issuer)),
    async close() {
      await control.close()
      await Promise.all([acme.close(), open.close()])
    },
  }
  return company
}
