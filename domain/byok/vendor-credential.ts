import type { ByokProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { type AddressRules, checkAddress, readText, regionShape } from './check-values.ts'
import type { CredentialParts } from './merge-credential.ts'
import { readVertex } from './service-account.ts'

/** A credential in the form that the vendor's adapter accepts. */
export interface VendorCredential {
  /** Empty where the configuration carries the credential. */
  apiKey: string
  /** Only the fields that the adapter accepts, each under one name, whichever name the customer used. */
  config: JsonObject
}

/** The input of a vendor's reader. */
export interface CredentialInput {
  /** Empty where there is none. */
  apiKey: string
  baseUrl: string | null
  config: JsonObject
}

/** The result of a vendor's reader. */
export interface VendorConfig {
  config: JsonObject
  /** Whether the configuration contains the secrets, so that no API key is needed. */
  isComplete: boolean
}

const readers: Record<ByokProvider, (input: CredentialInput, rules: AddressRules) => VendorConfig> = {
  vendor_a: readAzure,
  vendor_b: readBedrock,
  vendor_c: readVertex,
}

/**
 * Reads a credential for its vendor. Throws `validation_failed`, which names the parameter, if the vendor's adapter
 * does not accept the configuration, or if neither the key nor the configuration contains the secrets.
 */
export function readVendorCredential(
  provider: ByokProvider,
  { apiKey: ownKey, baseUrl, config: ownConfig }: CredentialParts,
  rules: AddressRules,
): VendorCredential {
  const { api_key: configKey, ...fields } = ownConfig ?? {}
  const apiKey = ownKey ?? readText(configKey, 'api_key', { isHeader: true }) ?? ''
  const { config, isComplete } = readers[provider]({ apiKey, baseUrl, config: fields }, rules)
  if (apiKey === '' && !isComplete)
    refuseParam('apiKey', 'is required if configJson does not contain the secrets')
  return { apiKey, config }
}

/**
 * Reads vendor_a on Azure: `endpoint` (or `endpoint_url`), `deployment` (or `deployment_id`) and `api_version`, all
 * optional. A deployment without an endpoint is at the base URL. A configuration without both is for vendor_a itself.
 */
function readAzure({ config, baseUrl }: CredentialInput, rules: AddressRules): VendorConfig {
  const { endpoint, endpoint_url, deployment, deployment_id, api_version } = config
  const name = endpoint === undefined ? 'endpoint_url' : 'endpoint'
  const endpointText = readText(endpoint ?? endpoint_url, name)
  const deploymentName =
    readText(deployment, 'deployment', { shape: deploymentShape }) ??
    readText(deployment_id, 'deployment_id', { shape: deploymentShape })
  const version = readText(api_version, 'api_version', { shape: /^[\w.-]{1,40}$/ })
  const address = endpointText ? checkAddress(endpointText, { param: `configJson.${name}`, rules }) : baseUrl
  if (deploymentName && !address) refuseParam('configJson.endpoint', 'is required with a deployment')
  return {
    isComplete: false,
    config: {
      ...((endpointText || deploymentName) && address && { endpoint: address }),
      ...(deploymentName && { deployment: deploymentName }),
      ...(version && { api_version: version }),
    },
  }
}

const deploymentShape = /^[\w.-]{1,128}$/

/**
 * Reads vendor_b on Bedrock: `region` with an API key, which is a bearer key; or with `access_key_id`,
 * `secret_access_key` and, for temporary credentials, `session_token`. Either half of that pair can be the API key. A
 * secret without an ID is a bearer key. `model_prefix` is added before model names. A configuration without a region is
 * for vendor_b itself.
 */
function readBedrock({ config, apiKey }: CredentialInput): VendorConfig {
  const region = readText(config.region, 'region', { shape: regionShape })
  const configId = readText(config.access_key_id, 'access_key_id', { isHeader: true })
  const configSecret = readText(config.secret_access_key, 'secret_access_key', { isHeader: true })
  const token = readText(config.session_token, 'session_token', { isHeader: true })
  const prefix = readText(config.model_prefix, 'model_prefix', { shape: /^[\w.-]{1,40}$/ })

  const id = configId ?? (configSecret && accessKeyId.test(apiKey) ? apiKey : undefined)
  const secret = configSecret ?? (id ? apiKey : '')
  if (id && !secret) refuseParam('configJson.secret_access_key', 'is required with an access key id')
  if (secret && !region) refuseParam('configJson.region', 'is required with an access key')
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
