import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../../schema/json.ts'
import { refuse } from '../checks/refuse.ts'
import { isObject, type Path, paramOf } from './json.ts'
import { type ConfigSecret, joinConfig, mask, type SplitConfig, splitConfig } from './split-config.ts'
import { isSecretName } from './tell-secrets.ts'

/** A configuration whose masks were replaced by what they stand for. */
export interface KeptConfig {
  config: JsonObject
  /** The secrets that were not written anew. */
  kept: ConfigSecret[]
}

/**
 * Replaces each `***` of a written configuration by the secret kept at its place: what was read may be written back.
 * Throws `validation_failed`, naming the place, for a mask where no secret was, and for masks inside a list that
 * changed otherwise: there nobody can tell whose secret is meant.
 */
export function keepSecrets(written: JsonObject, before: SplitConfig | undefined): KeptConfig {
  const old = before && joinConfig(before)
  const kept: ConfigSecret[] = []

  const replace = (value: Json, known: Json | undefined, path: Path, isInSecret: boolean): Json => {
    if (value === mask) return keep(known, path, isInSecret)
    if (Array.isArray(value)) return replaceList(value, known, path, isInSecret)
    if (isObject(value)) return replaceAll(value, isObject(known) ? known : {}, path, isInSecret)
    return value
  }
  const replaceAll = (object: JsonObject, known: JsonObject, path: Path, isInSecret: boolean): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, item]) => {
        const own = Object.hasOwn(known, name) ? known[name] : undefined
        return [name, replace(item, own, [...path, name], isInSecret || isSecretName(name))]
      }),
    )
  const replaceList = (list: Json[], known: Json | undefined, path: Path, isInSecret: boolean): Json[] => {
    const own = Array.isArray(known) ? known : []
    if (holdsMask(list) && !isDeepStrictEqual(shown(list, isInSecret), shown(own, isInSecret)))
      refuse(paramOf(path), 'changed, so that its secrets must be written again')
    return list.map((item, index) => replace(item, own[index], [...path, index], isInSecret))
  }
  const keep = (known: Json | undefined, path: Path, isInSecret: boolean): Json => {
    const secrets = (before?.secrets ?? []).filter(secret => isWithin(secret.path, path))
    if (known === undefined || secrets.length === 0) {
      if (isInSecret) refuse(paramOf(path), 'has no secret to keep: write the secret itself')
      return mask
    }
    kept.push(...secrets)
    return known
  }
  return { config: replaceAll(written, old ?? {}, [], false), kept }
}

function holdsMask(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return value === mask
  return Object.values(value).some(holdsMask)
}

/** A list as it is shown. */
function shown(list: Json[], isInSecret: boolean): Json[] {
  return Object.values(splitConfig({ [isInSecret ? 'secrets' : 'list']: list }).masked)
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((part, index) => path[index] === part)
}
