import type { ByokProvider } from '../../../schema/entities/provider-credentials.ts'
import type { Context } from '../../context.ts'
import type { CredentialParts } from '../merge-credential.ts'
import { readVendorCredential } from '../vendors/vendor-credential.ts'
import { checkAddress } from './check-address.ts'

/** Checks a credential as a whole: its address, and that its vendor can take it. Throws `validation_failed`. */
export function checkParts(
  { config: rules }: Pick<Context, 'config'>,
  provider: ByokProvider,
  { apiKey, baseUrl, config }: CredentialParts,
): void {
  if (baseUrl !== null) checkAddress(baseUrl, { param: 'baseUrl', rules })
  readVendorCredential(provider, { apiKey, baseUrl, config: config ?? {} }, rules)
}
