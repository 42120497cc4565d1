import { refuse } from '../checks/refuse.ts'
import { readText, regionShape } from './read-text.ts'
import type { GivenCredential, VendorReading } from './vendor-credential.ts'

/**
 * vendor_b on Bedrock: `region` with an API key (a bearer key), or with `access_key_id`, `secret_access_key` and,
 * for temporary ones, `session_token`. An API key beside a secret access key is its id. Without a region it is
 * vendor_b itself.
 */
export function readBedrock({ config, apiKey }: GivenCredential): VendorReading {
  const { region: given, access_key_id, secret_access_key, session_token, ...rest } = config
  const region = readText(given, 'region', { shape: regionShape })
  const secret = readText(secret_access_key, 'secret_access_key', { isHeader: true })
  const id =
    readText(access_key_id, 'access_key_id', { isHeader: true }) ?? (secret && apiKey ? apiKey : undefined)
  const token = readText(session_token, 'session_token', { isHeader: true })
  if (id && !secret) refuse('configJson.secret_access_key', 'is required with an access key id')
  if (secret && !id) refuse('configJson.access_key_id', 'is required with a secret access key')
  if (secret && !region) refuse('configJson.region', 'is required with an access key')
  return {
    isComplete: secret !== undefined,
    config: {
      ...rest,
      ...(region && { region }),
      ...(id && secret && { access_key_id: id, secret_access_key: secret }),
      ...(token && { session_token: token }),
    },
  }
}
