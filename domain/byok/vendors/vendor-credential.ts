import type { ByokProvider } from '../../../schema/entities/provider-credentials.ts'
import type { JsonObject } from '../../../schema/json.ts'
import type { AddressRules } from '../checks/check-address.ts'
import { refuse } from '../checks/refuse.ts'
import type { CredentialParts } from '../merge-credential.ts'
import { readAzure } from './read-azure.ts'
import { readBedrock } from './read-bedrock.ts'
import { readText } from './read-text.ts'
import { readVertex } from './read-vertex.ts'

/** What of a credential one vendor reads. */
export interface GivenCredential {
  /** Empty where there is none. */
  apiKey: string
  baseUrl: string | null
  config: JsonObject
}

/** A credential as the vendor's adapter takes it. */
export interface VendorCredential {
  /** Empty where the configuration carries the credential. */
  apiKey: string
  /** What adapters take, and nothing else, under one name each, whichever spelling the customer used. */
  config: JsonObject
}

/** What one vendor reads of a configuration. */
export interface VendorReading {
  config: JsonObject
  /** The configuration carries the credential: an API key is not needed. */
  isComplete: boolean
}

const readings: Record<ByokProvider, (given: GivenCredential, rules: AddressRules) => VendorReading> = {
  vendor_a: readAzure,
  vendor_b: readBedrock,
  vendor_c: readVertex,
}

/**
 * Reads a credential for its vendor. Throws `validation_failed`, naming the parameter, for a configuration that the
 * vendor cannot take, and `apiKey` where nothing carries the credential.
 */
export function readVendorCredential(
  provider: ByokProvider,
  given: CredentialParts,
  rules: AddressRules,
): VendorCredential {
  const { api_key: carried, ...rest } = given.config ?? {}
  const apiKey = given.apiKey ?? readText(carried, 'api_key', { isHeader: true }) ?? ''
  const { baseUrl } = given
  const { config, isComplete } = readings[provider]({ apiKey, baseUrl, config: rest }, rules)
  if (apiKey === '' && !isComplete)
    refuse('apiKey', 'is required where the configuration does not carry the credential')
  return { apiKey, config }
}
