import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../schema/json.ts'
import { refuse } from './checks/refuse.ts'
import { findAddresses } from './config/find-addresses.ts'
import { paramOf } from './config/json.ts'
import { type KeptConfig, keepSecrets } from './config/keep-secrets.ts'
import { parseConfig } from './config/parse-config.ts'
import { joinConfig, mask, type SplitConfig } from './config/split-config.ts'
import type { CredentialSettings } from './credential-settings.ts'

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
