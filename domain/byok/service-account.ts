import type { Json, JsonObject } from '../../schema/json.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { type AddressRules, checkAddress, readText, regionShape } from './check-values.ts'
import { isObject } from './parse-config.ts'
import type { CredentialInput, VendorConfig } from './vendor-credential.ts'

/**
 * Reads vendor_c on Vertex: `region` and a service account, as an object or as the text of its JSON file. The service
 * account is any object with `client_email` and `private_key`: the field `service_account`, another field, or the
 * configuration itself. A configuration without a service account is for vendor_c itself.
 */
export function readVertex({ config }: CredentialInput, rules: AddressRules): VendorConfig {
  const region = readText(config.region, 'region', { shape: regionShape })
  const found = findServiceAccount(config)
  if (!found) {
    if (config.service_account !== undefined && config.service_account !== null)
      refuseParam('configJson.service_account', 'must carry client_email and private_key')
    return { isComplete: false, config: {} }
  }
  if (!region) return refuseParam('configJson.region', 'is required with a service account')
  const { name, account } = found
  const prefix = name === undefined ? '' : `${name}.`
  readText(account.private_key, `${prefix}private_key`, { maxLength: maxKeyLength })
  const tokenUri = readText(account.token_uri, `${prefix}token_uri`)
  if (tokenUri) checkTokenUri(tokenUri, { param: `configJson.${prefix}token_uri`, rules })
  const project = projectOf(account, readText(config.project_id, 'project_id'))
  return {
    isComplete: true,
    config: { region, service_account: { ...accountOf(account), ...(project && { project_id: project }) } },
  }
}

/** Maximum length of a private key, in characters: twice the PEM of a key of 4,096 bits, the largest in use. */
const maxKeyLength = 8_192

/**
 * The fields that are needed to request a token. Other fields of the service account are not kept decrypted in memory.
 */
const accountFields = ['client_email', 'private_key', 'private_key_id', 'project_id', 'token_uri']

function accountOf(account: JsonObject): JsonObject {
  const fields = accountFields.flatMap(name => {
    const value = account[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(fields)
}

/**
 * Returns the project: a field of the service account, a field beside it, or a part of its e-mail address
 * `name@project.iam.gserviceaccount.com`.
 */
function projectOf(account: JsonObject, projectId: string | undefined): string | undefined {
  const named = readText(account.project_id, 'project_id') ?? projectId
  const email = readText(account.client_email, 'client_email') ?? ''
  return named ?? /@([a-z0-9.:-]+)\.iam\.gserviceaccount\.com$/.exec(email)?.[1]
}

interface Found {
  /**
   * Returns the name of the field with the service account; undefined if the configuration itself is the service
   * account.
   */
  name: string | undefined
  account: JsonObject
}

function findServiceAccount(config: JsonObject): Found | undefined {
  const { region, ...account } = config
  if (isServiceAccount(account)) return { name: undefined, account }
  for (const [name, value] of Object.entries(config)) {
    const candidate = typeof value === 'string' ? parseJson(value) : value
    if (isServiceAccount(candidate)) return { name, account: candidate }
  }
  return undefined
}

function isServiceAccount(value: Json | undefined): value is JsonObject {
  return isObject(value) && isText(value.client_email) && isText(value.private_key)
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== ''
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The addresses from which service accounts get their access tokens. Signed assertions are sent only there. */
const tokenUris = new Set([
  'https://oauth2.googleapis.com/token',
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
])

/** Checks the address from which a service account gets its tokens. Throws `validation_failed`. */
function checkTokenUri(text: string, at: { param: string; rules: AddressRules }): void {
  const address = checkAddress(text, at)
  if (tokenUris.has(address)) return
  if (at.rules.allowLoopback && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname))
    return
  refuseParam(at.param, 'must be one of the addresses that issue tokens for service accounts')
}
