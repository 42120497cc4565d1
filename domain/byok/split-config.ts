import type { Json, JsonObject } from '../../schema/json.ts'
import type { ValuePath } from '../../schema/value-path.ts'
import { isHarmlessName, isSecretName, isSecretText } from './detect-secrets.ts'

/** The text that replaces a secret. */
export const mask = '***'

/** A secret inside a configuration. */
export interface ConfigSecret {
  path: ValuePath
  value: string | number
}

/** A configuration in the form that may be shown, and the secrets that were removed from it. */
export interface SplitConfig {
  masked: JsonObject
  secrets: ConfigSecret[]
}

/**
 * The sensitivity of a value by the names in its path: `secret` if any of them names a secret, `harmless` if the last
 * one is known to be harmless, or else `unknown`.
 */
export type Sensitivity = 'harmless' | 'unknown' | 'secret'

/** The sensitivity of the field `name` of an object that has the sensitivity `outer`. */
export function sensitivityOf(outer: Sensitivity, name: string): Sensitivity {
  if (outer === 'secret' || isSecretName(name)) return 'secret'
  return isHarmlessName(name) ? 'harmless' : 'unknown'
}

/**
 * Removes the secrets from a configuration, at any depth: every text and number, unless its name is known to be
 * harmless; under a harmless name, every text that has the form of a secret.
 */
export function splitConfig(config: JsonObject): SplitConfig {
  const secrets: ConfigSecret[] = []
  return { masked: takeAll(config, { path: [], sensitivity: 'unknown', secrets }), secrets }
}

/** Returns the form of a value that may be shown, for its sensitivity. */
export function maskValue(value: Json, sensitivity: Sensitivity): Json {
  return take(value, { path: [], sensitivity, secrets: [] })
}

/** The path and sensitivity of a value, and the list to which its secrets are added. */
interface Masking {
  path: ValuePath
  sensitivity: Sensitivity
  secrets: ConfigSecret[]
}

function take(value: Json, { path, sensitivity, secrets }: Masking): Json {
  if (Array.isArray(value))
    return value.map((item, index) => take(item, { path: [...path, index], sensitivity, secrets }))
  if (typeof value === 'object' && value !== null) return takeAll(value, { path, sensitivity, secrets })
  if (!isSecret(value, sensitivity)) return value
  secrets.push({ path, value })
  return mask
}

function takeAll(object: JsonObject, { path, sensitivity, secrets }: Masking): JsonObject {
  const entries = Object.entries(object).map(([name, item]): [string, Json] => [
    name,
    take(item, { path: [...path, name], sensitivity: sensitivityOf(sensitivity, name), secrets }),
  ])
  return Object.fromEntries(entries)
}

/** Puts the secrets of a configuration back into their paths. */
export function joinConfig({ masked, secrets }: SplitConfig): JsonObject {
  const byPath = new Map(secrets.map(({ path, value }) => [JSON.stringify(path), value]))
  const put = (value: Json, path: ValuePath): Json => {
    if (Array.isArray(value)) return value.map((item, index) => put(item, [...path, index]))
    if (typeof value === 'object' && value !== null) return putAll(value, path)
    return byPath.get(JSON.stringify(path)) ?? value
  }
  const putAll = (object: JsonObject, path: ValuePath): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, item]) => [name, put(item, [...path, name])]))
  return putAll(masked, [])
}

/** Whether a value can be a secret. Booleans, null and empty texts cannot. */
function isSecret(
  value: string | number | boolean | null,
  sensitivity: Sensitivity,
): value is string | number {
  if (typeof value === 'number') return sensitivity !== 'harmless'
  return typeof value === 'string' && value !== '' && (sensitivity !== 'harmless' || isSecretText(value))
}
