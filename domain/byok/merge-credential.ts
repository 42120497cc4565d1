import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../schema/json.ts'
import { refuse } from './check-values.ts'
import type { CredentialSettings } from './credential-settings.ts'
import { type KeptConfig, keepSecrets } from './keep-secrets.ts'
import { type Path, paramOf, parseConfig } from './parse-config.ts'
import { joinConfig, mask, type SplitConfig } from './split-config.ts'

/** A credential with its secrets open. */
export interface CredentialParts {
  apiKey: string | null
  baseUrl: string | null
  config: JsonObject | null
}

/** A credential as it was before a change. */
export interface CredentialBefore {
  apiKey: string | null
  baseUrl: string | null
  config: SplitConfig | undefined
}

const nothing: CredentialBefore = { apiKey: null, baseUrl: null, config: undefined }

/**
 * What a credential becomes when `settings` are written over what it was. `***` keeps the secret at its place; a
 * secret that is kept is not sent to another address than before, so where base URL or an address of the
 * configuration changes, it must be written anew. Throws `validation_failed` naming the parameter.
 */
export function mergeCredential(
  settings: CredentialSettings,
  before: CredentialBefore = nothing,
): CredentialParts {
  const { apiKey, isKept } = mergeKey(settings.apiKey, before.apiKey)
  const { config, kept } = mergeConfig(settings.config, before.config)
  const after = {
    apiKey,
    config,
    baseUrl: settings.baseUrl === undefined ? before.baseUrl : settings.baseUrl,
  }
  if (isMoved(before, after)) {
    if (isKept) refuse('apiKey', 'must be written again where the address changes')
    const [secret] = kept
    if (secret) refuse(paramOf(secret.path), 'must be written again where the address changes')
  }
  return after
}

function mergeKey(written: string | null | undefined, before: string | null) {
  const isLeft = written === undefined || written === mask
  if (written === mask && before === null) refuse('apiKey', 'has no secret to keep: write the secret itself')
  return { apiKey: isLeft ? before : written, isKept: isLeft && before !== null }
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

function isMoved(before: CredentialBefore, after: CredentialParts): boolean {
  if (normal(before.baseUrl) !== normal(after.baseUrl)) return true
  const known = findAddresses(before.config ? joinConfig(before.config) : {})
  return !isDeepStrictEqual(known, findAddresses(after.config ?? {}))
}

/** An address in the one form of its spellings. */
function normal(address: string | null): string | null {
  return address !== null && URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address
}

/** Names of what a secret may be sent to. */
const addressName = /(endpoint|url|uri|host|hostname|server|domain|proxy|address|origin)$/i

/** What a configuration names as a place to send something to, by where it names it. */
export function findAddresses(config: JsonObject): Map<string, string> {
  const found = new Map<string, string>()
  const look = (value: Json, path: Path): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) look(item, [...path, name])
      return
    }
    const isNamed = path.some(part => addressName.test(String(part)))
    const isOne = typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
    if (isNamed || isOne) found.set(paramOf(path), String(value))
  }
  look(config, [])
  return found
}
