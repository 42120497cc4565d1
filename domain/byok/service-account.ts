import type { Json, JsonObject } from '../../schema/json.ts'
import { type AddressRules, checkAddress, readText, refuse, regionShape } from './check-values.ts'
import { isObject } from './parse-config.ts'
import type { GivenCredential, VendorReading } from './vendor-credential.ts'

/**
 * vendor_c on Vertex: a service account, as an object or as the text of its JSON file, with `region`. It is
 * whatever carries a `client_email` and a `private_key`: `service_account`, another field, or the configuration
 * itself. Without one it is vendor_c itself.
 */
export function readVertex({ config }: GivenCredential, rules: AddressRules): VendorReading {
  const region = readText(config.region, 'region', { shape: regionShape })
  const found = findServiceAccount(config)
  if (!found) {
    if (config.service_account !== undefined && config.service_account !== null)
      refuse('configJson.service_account', 'must carry client_email and private_key')
    return { isComplete: false, config: {} }
  }
  if (!region) return refuse('configJson.region', 'is required with a service account')
  const { name, account } = found
  const prefix = name === undefined ? '' : `${name}.`
  readText(account.private_key, `${prefix}private_key`, { maxLength: mostKeyCharacters })
  const tokenUri = readText(account.token_uri, `${prefix}token_uri`)
  if (tokenUri) checkTokenUri(tokenUri, { param: `configJson.${prefix}token_uri`, rules })
  const project = projectOf(account, readText(config.project_id, 'project_id'))
  return {
    isComplete: true,
    config: { region, service_account: { ...accountOf(account), ...(project && { project_id: project }) } },
  }
}

/** A key of 4,096 bits, the largest that is signed with, has half of it as PEM. */
const mostKeyCharacters = 8_192

/** What a token of the account needs. Nothing else of it is kept open in memory. */
const accountFields = ['client_email', 'private_key', 'private_key_id', 'project_id', 'token_uri']

function accountOf(account: JsonObject): JsonObject {
  const fields = accountFields.flatMap(name => {
    const value = account[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(fields)
}

/** Named by the account itself, beside it, or by its e-mail address: `name@project.iam.gserviceaccount.com`. */
function projectOf(account: JsonObject, beside: string | undefined): string | undefined {
  const own = readText(account.project_id, 'project_id') ?? beside
  const email = readText(account.client_email, 'client_email') ?? ''
  return own ?? /@([a-z0-9.:-]+)\.iam\.gserviceaccount\.com$/.exec(email)?.[1]
}

interface Found {
  /** The field that holds it; undefined where the configuration itself is the account. */
  name: string | undefined
  account: JsonObject
}

function findServiceAccount(config: JsonObject): Found | undefined {
  const { region, ...account } = config
  if (isServiceAccount(account)) return { name: undefined, account }
  for (const [name, value] of Object.entries(config)) {
    const held = typeof value === 'string' ? parsed(value) : value
    if (isServiceAccount(held)) return { name, account: held }
  }
  return undefined
}

function isServiceAccount(value: Json | undefined): value is JsonObject {
  return isObject(value) && isText(value.client_email) && isText(value.private_key)
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== ''
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where service accounts get their access tokens: a signed assertion goes there, and nowhere else. */
const tokenUris = new Set([
  'https://oauth2.googleapis.com/token',
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
])

/** Checks the address that a service account names for its tokens. Throws `validation_failed`. */
export function checkTokenUri(text: string, at: { param: string; rules: AddressRules }): void {
  const address = checkAddress(text, at)
  if (tokenUris.has(address)) return
  if (at.rules.allowLoopback && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname))
    return
  refuse(at.param, 'must be one of the addresses that hand out tokens for service accounts')
}
