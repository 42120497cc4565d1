import type { Json, JsonObject } from '../../schema/json.ts'
import { isHarmlessName, isSecretName, isSecretText } from './detect-secrets.ts'
import type { Path } from './parse-config.ts'

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
 * What a value's name says of it: `open` where it is known to be harmless, `secret` where it, or one above it, tells
 * a secret, `closed` otherwise.
 */
export type Standing = 'open' | 'closed' | 'secret'

/** The standing of what `name` holds inside something of that standing. */
export function standingUnder(outer: Standing, name: string): Standing {
  if (outer === 'secret' || isSecretName(name)) return 'secret'
  return isHarmlessName(name) ? 'open' : 'closed'
}

/**
 * Takes the secrets out of a configuration, at any depth. A secret is each text and number that is not known to be
 * harmless: one under another name than those of the list, and each text that has the form of a secret.
 */
export function splitConfig(config: JsonObject): SplitConfig {
  const secrets: ConfigSecret[] = []
  return { masked: takeAll(config, { path: [], standing: 'closed', secrets }), secrets }
}

/** A value as it is shown at a place of that standing. */
export function showValue(value: Json, standing: Standing): Json {
  return take(value, { path: [], standing, secrets: [] })
}

interface Taking {
  path: Path
  standing: Standing
  secrets: ConfigSecret[]
}

function take(value: Json, { path, standing, secrets }: Taking): Json {
  if (Array.isArray(value))
    return value.map((item, index) => take(item, { path: [...path, index], standing, secrets }))
  if (typeof value === 'object' && value !== null) return takeAll(value, { path, standing, secrets })
  if (!isSecret(value, standing)) return value
  secrets.push({ path, value })
  return mask
}

function takeAll(object: JsonObject, { path, standing, secrets }: Taking): JsonObject {
  const entries = Object.entries(object).map(([name, item]): [string, Json] => [
    name,
    take(item, { path: [...path, name], standing: standingUnder(standing, name), secrets }),
  ])
  return Object.fromEntries(entries)
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

/** What is true, false, null or empty tells nothing. */
function isSecret(value: string | number | boolean | null, standing: Standing): value is string | number {
  if (typeof value === 'number') return standing !== 'open'
  return typeof value === 'string' && value !== '' && (standing !== 'open' || isSecretText(value))
}
