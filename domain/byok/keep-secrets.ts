import type { Json, JsonObject } from '../../schema/json.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { ValuePath } from '../../schema/value-path.ts'
import { isObject, paramOf } from './parse-config.ts'
import {
  type ConfigSecret,
  joinConfig,
  mask,
  maskValue,
  type Sensitivity,
  type SplitConfig,
  sensitivityOf,
} from './split-config.ts'

/** A configuration whose masks were replaced by the stored secrets. */
export interface KeptConfig {
  config: JsonObject
  /** The secrets that were kept and not written again. */
  kept: ConfigSecret[]
}

/**
 * Replaces each `***` in a configuration with the stored secret at the same path, so that a client can write back what it
 * read. Throws `validation_failed`, which names the path, if there was no secret, or if the mask is in a list whose
 * other values changed, because the list does not show which secret is meant.
 */
export function keepSecrets(written: JsonObject, before: SplitConfig | undefined): KeptConfig {
  const old = before && joinConfig(before)
  const kept: ConfigSecret[] = []

  const replace = (value: Json, known: Json | undefined, path: ValuePath, sensitivity: Sensitivity): Json => {
    if (value === mask) return keep(known, path, sensitivity)
    if (Array.isArray(value)) return replaceList(value, known, path, sensitivity)
    if (isObject(value)) return replaceAll(value, isObject(known) ? known : {}, path, sensitivity)
    return value
  }
  const replaceAll = (
    object: JsonObject,
    known: JsonObject,
    path: ValuePath,
    sensitivity: Sensitivity,
  ): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, item]) => {
        const own = Object.hasOwn(known, name) ? known[name] : undefined
        return [name, replace(item, own, [...path, name], sensitivityOf(sensitivity, name))]
      }),
    )
  const replaceList = (
    list: Json[],
    known: Json | undefined,
    path: ValuePath,
    sensitivity: Sensitivity,
  ): Json[] => {
    const own = Array.isArray(known) ? known : []
    if (holdsMask(list) && !isSame(list, known, sensitivity))
      refuseParam(paramOf(path), 'changed, so that its secrets must be written again')
    return list.map((item, index) => replace(item, own[index], [...path, index], sensitivity))
  }
  const keep = (known: Json | undefined, path: ValuePath, sensitivity: Sensitivity): Json => {
    const secrets = (before?.secrets ?? []).filter(secret => isWithin(secret.path, path))
    if (known === undefined || secrets.length === 0) {
      if (sensitivity !== 'harmless')
        refuseParam(paramOf(path), 'has no secret to keep: write the secret itself')
      return mask
    }
    kept.push(...secrets)
    return known
  }
  return { config: replaceAll(written, old ?? {}, [], 'unknown'), kept }
}

function holdsMask(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return value === mask
  return Object.values(value).some(holdsMask)
}

/** Whether a written value equals the stored one, except for secrets, which may be kept or written again. */
function isSame(written: Json, known: Json | undefined, sensitivity: Sensitivity): boolean {
  if (Array.isArray(written)) {
    if (!Array.isArray(known) || known.length !== written.length) return false
    return written.every((item, index) => isSame(item, known[index], sensitivity))
  }
  if (isObject(written)) {
    const names = Object.keys(written)
    if (!isObject(known) || Object.keys(known).length !== names.length) return false
    return names.every(
      name =>
        Object.hasOwn(known, name) && isSame(written[name]!, known[name], sensitivityOf(sensitivity, name)),
    )
  }
  if (known === undefined) return false
  const isKept = written === mask || sensitivity === 'secret'
  return written === known || (isKept && maskValue(known, sensitivity) === mask)
}

function isWithin(path: ValuePath, outer: ValuePath): boolean {
  return outer.every((part, index) => path[index] === part)
}
