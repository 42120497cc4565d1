import type { ByokProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import { type AddressRules, checkAddress, readText, refuse, regionShape } from './check-values.ts'
import type { CredentialParts } from './merge-credential.ts'
import { readVertex } from './service-account.ts'

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

/**
 * vendor_a on Azure: `endpoint` (or `endpoint_url`), and `deployment` (or `deployment_id`) and `api_version` where
 * they are other than the vendor's own. Without an endpoint it is vendor_a itself.
 */
export function readAzure({ config, baseUrl }: GivenCredential, rules: AddressRules): VendorReading {
  const { endpoint, endpoint_url, deployment, deployment_id, api_version } = config
  const name = endpoint === undefined ? 'endpoint_url' : 'endpoint'
  const address = readText(endpoint ?? endpoint_url, name)
  const deployed =
    readText(deployment, 'deployment', { shape: deploymentShape }) ??
    readText(deployment_id, 'deployment_id', { shape: deploymentShape })
  const version = readText(api_version, 'api_version', { shape: /^[\w.-]{1,40}$/ })
  const reached = address ? checkAddress(address, { param: `configJson.${name}`, rules }) : baseUrl
  if (deployed && !reached) refuse('configJson.endpoint', 'is required with a deployment')
  return {
    isComplete: false,
    config: {
      ...((address || deployed) && reached && { endpoint: reached }),
      ...(deployed && { deployment: deployed }),
      ...(version && { api_version: version }),
    },
  }
}

const deploymentShape = /^[\w.-]{1,128}$/

/**
 * vendor_b on Bedrock: `region` with an API key (a bearer key), or with `access_key_id`, `secret_access_key` and,
 * for temporary ones, `session_token`. Either half of the pair may be the API key; one secret without an id is a
 * bearer key. `model_prefix` is put before the names of models. Without a region it is vendor_b itself.
 */
export function readBedrock({ config, apiKey }: GivenCredential): VendorReading {
  const region = readText(config.region, 'region', { shape: regionShape })
  const ownId = readText(config.access_key_id, 'access_key_id', { isHeader: true })
  const ownSecret = readText(config.secret_access_key, 'secret_access_key', { isHeader: true })
  const token = readText(config.session_token, 'session_token', { isHeader: true })
  const prefix = readText(config.model_prefix, 'model_prefix', { shape: /^[\w.-]{1,40}$/ })

  const id = ownId ?? (ownSecret && accessKeyId.test(apiKey) ? apiKey : undefined)
  const secret = ownSecret ?? (id ? apiKey : '')
  if (id && !secret) refuse('configJson.secret_access_key', 'is required with an access key id')
  if (secret && !region) refuse('configJson.region', 'is required with an access key')
  return {
    isComplete: secret !== '',
    config: {
      ...(region && { region }),
      ...(id && { access_key_id: id }),
      ...((id || apiKey === '') && secret && { secret_access_key: secret }),
      ...(token && { session_token: token }),
      ...(prefix && { model_prefix: prefix }),
    },
  }
}

const accessKeyId = /^A[KS]IA\w+$/
