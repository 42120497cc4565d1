import type { Config } from '../../../platform/config/read-config.ts'

/** What a session token states: who, for which account, from which log-in. */
export interface SessionClaims {
  accountId: string
  userId: string
  familyId: string
}

/** The one algorithm that signs and verifies our session tokens. */
export const sessionAlgorithm = 'EdDSA'

/** Who a session token is from and for: this service, by the address that clients use. */
export function partiesOf(config: Config): { issuer: string; audience: string } {
  return { issuer: config.baseUrl, audience: config.baseUrl }
}
