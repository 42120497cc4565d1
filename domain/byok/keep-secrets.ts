import type { Json, JsonObject } from '../../schema/json.ts'
import { refuse } from './check-values.ts'
import { isObject, type Path, paramOf } from './parse-config.ts'
import {
  type ConfigSecret,
  joinConfig,
  mask,
  type SplitConfig,
  type Standing,
  showValue,
  standingUnder,
} from './split-config.ts'

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

  const replace = (value: Json, known: Json | undefined, path: Path, standing: Standing): Json => {
    if (value === mask) return keep(known, path, standing)
    if (Array.isArray(value)) return replaceList(value, known, path, standing)
    if (isObject(value)) return replaceAll(value, isObject(known) ? known : {}, path, standing)
    return value
  }
  const replaceAll = (object: JsonObject, known: JsonObject, path: Path, standing: Standing): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, item]) => {
        const own = Object.hasOwn(known, name) ? known[name] : undefined
        return [name, replace(item, own, [...path, name], standingUnder(standing, name))]
      }),
    )
  const replaceList = (list: Json[], known: Json | undefined, path: Path, standing: Standing): Json[] => {
    const own = Array.isArray(known) ? known : []
    if (holdsMask(list) && !isSame(list, known, standing))
      refuse(paramOf(path), 'changed, so that its secrets must be written again')
    return list.map((item, index) => replace(item, own[index], [...path, index], standing))
  }
  const keep = (known: Json | undefined, path: Path, standing: Standing): Json => {
    const secrets = (before?.secrets ?? []).filter(secret => isWithin(secret.path, path))
    if (known === undefined || secrets.length === 0) {
      if (standing !== 'open') refuse(paramOf(path), 'has no secret to keep: write the secret itself')
      return mask
    }
    kept.push(...secrets)
    return known
  }
  return { config: replaceAll(written, old ?? {}, [], 'closed'), kept }
}

function holdsMask(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return value === mask
  return Object.values(value).some(holdsMask)
}

/** Whether a written value is what was there, but for secrets that are kept or written anew. */
function isSame(written: Json, known: Json | undefined, standing: Standing): boolean {
  if (Array.isArray(written)) {
    if (!Array.isArray(known) || known.length !== written.length) return false
    return written.every((item, index) => isSame(item, known[index], standing))
  }
  if (isObject(written)) {
    const names = Object.keys(written)
    if (!isObject(known) || Object.keys(known).length !== names.length) return false
    return names.every(
      name =>
        Object.hasOwn(known, name) && isSame(written[name]!, known[name], standingUnder(standing, name)),
    )
  }
  if (known === undefined) return false
  const isKept = written === mask || standing === 'secret'
  return written === known || (isKept && showValue(known, standing) === mask)
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((part, index) => path[index] === part)
}
