import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../schema/json.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { ValuePath } from '../../schema/value-path.ts'
import type { CredentialSettings } from './credential-settings.ts'
import { type KeptConfig, keepSecrets } from './keep-secrets.ts'
import { paramOf, parseConfig } from './parse-config.ts'
import { joinConfig, mask, type SplitConfig } from './split-config.ts'

/** The decrypted secrets of a credential, and the address to which they are sent. */
export interface CredentialParts {
  apiKey: string | null
  baseUrl: string | null
  config: JsonObject | null
}

/** The same before a change. */
export interface CredentialBefore {
  apiKey: string | null
  baseUrl: string | null
  config: SplitConfig | undefined
}

const noCredential: CredentialBefore = { apiKey: null, baseUrl: null, config: undefined }

/**
 * Applies `settings` to a credential. `***` keeps the secret at the same path. A kept secret must not be sent to
 * another address: if the base URL or an address in the configuration changes, every secret must be written again.
 * Throws `validation_failed`, which names the parameter.
 */
export function mergeCredential(
  settings: CredentialSettings,
  before: CredentialBefore = noCredential,
): CredentialParts {
  const { apiKey, isKept } = mergeKey(settings.apiKey, before.apiKey)
  const { config, kept } = mergeConfig(settings.config, before.config)
  const after = {
    apiKey,
    config,
    baseUrl: settings.baseUrl === undefined ? before.baseUrl : settings.baseUrl,
  }
  if (changesAddress(before, after)) {
    if (isKept) refuseParam('apiKey', 'must be written again where the address changes')
    const [secret] = kept
    if (secret) refuseParam(paramOf(secret.path), 'must be written again where the address changes')
  }
  return after
}

function mergeKey(written: string | null | undefined, before: string | null) {
  const isUnchanged = written === undefined || written === mask
  if (written === mask && before === null)
    refuseParam('apiKey', 'has no secret to keep: write the secret itself')
  return { apiKey: isUnchanged ? before : written, isKept: isUnchanged && before !== null }
}

function mergeConfig(
  written: unknown,
  before: SplitConfig | undefined,
): { config: JsonObject | null; kept: KeptConfig['kept'] } {
  if (written === undefined)
    return { config: before ? joinConfig(before) : null, kept: before?.secrets ?? [] }
  if (written === null) return { config: null, kept: [] }
  return keepSecrets(parseConfig(written), before)
}

function changesAddress(before: CredentialBefore, after: CredentialParts): boolean {
  if (canonical(before.baseUrl) !== canonical(after.baseUrl)) return true
  const known = findAddresses(before.config ? joinConfig(before.config) : {})
  return !isDeepStrictEqual(known, findAddresses(after.config ?? {}))
}

/** Returns an address in its canonical form. */
function canonical(address: string | null): string | null {
  return address !== null && URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address
}

/** Names of fields that contain an address. */
const addressName = /(endpoint|url|uri|host|hostname|server|domain|proxy|address|origin)$/i

/** Returns the addresses in a configuration, by their path: fields with such a name, and texts that are URLs. */
function findAddresses(config: JsonObject): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (value: Json, path: ValuePath): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) visit(item, [...path, name])
      return
    }
    const hasAddressName = path.some(part => addressName.test(String(part)))
    const isUrl = typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
    if (hasAddressName || isUrl) found.set(paramOf(path), String(value))
  }
  visit(config, [])
  return found
}
