import { refuse } from '../checks/refuse.ts'
import { readText, regionShape } from './read-text.ts'
import type { GivenCredential, VendorReading } from './vendor-credential.ts'

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
