import { type AddressRules, checkAddress } from '../checks/check-address.ts'
import { refuse } from '../checks/refuse.ts'
import { readText } from './read-text.ts'
import type { GivenCredential, VendorReading } from './vendor-credential.ts'

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
