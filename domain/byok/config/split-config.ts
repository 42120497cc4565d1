import type { Json, JsonObject } from '../../../schema/json.ts'
import type { Path } from './json.ts'
import { isSecretName, isSecretText } from './tell-secrets.ts'

/** What stands where a secret was (contract: config_json). */
export const mask = '***'

/** A secret inside a configuration. */
export interface ConfigSecret {
  path: Path
  value: string | number
}

/** A configuration as it may be shown, and the secrets taken out of it. */
export interface SplitConfig {
  masked: JsonObject
  secrets: ConfigSecret[]
}

/**
 * Takes the secrets out of a configuration, at any depth. A secret is each text and number under a name that tells
 * one, and each text that has the form of one.
 */
export function splitConfig(config: JsonObject): SplitConfig {
  const secrets: ConfigSecret[] = []
  const take = (value: Json, path: Path, isInSecret: boolean): Json => {
    if (Array.isArray(value)) return value.map((item, index) => take(item, [...path, index], isInSecret))
    if (typeof value === 'object' && value !== null) return takeAll(value, path, isInSecret)
    if (!isSecret(value, isInSecret)) return value
    secrets.push({ path, value })
    return mask
  }
  const takeAll = (object: JsonObject, path: Path, isInSecret: boolean): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, item]) => [
        name,
        take(item, [...path, name], isInSecret || isSecretName(name)),
      ]),
    )
  return { masked: takeAll(config, [], false), secrets }
}

/** Puts the secrets of a configuration back in their places. */
export function joinConfig({ masked, secrets }: SplitConfig): JsonObject {
  const byPath = new Map(secrets.map(({ path, value }) => [JSON.stringify(path), value]))
  const put = (value: Json, path: Path): Json => {
    if (Array.isArray(value)) return value.map((item, index) => put(item, [...path, index]))
    if (typeof value === 'object' && value !== null) return putAll(value, path)
    return byPath.get(JSON.stringify(path)) ?? value
  }
  const putAll = (object: JsonObject, path: Path): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, item]) => [name, put(item, [...path, name])]))
  return putAll(masked, [])
}

function isSecret(value: string | number | boolean | null, isInSecret: boolean): value is string | number {
  if (typeof value === 'number') return isInSecret
  return typeof value === 'string' && value !== '' && (isInSecret || isSecretText(value))
}
