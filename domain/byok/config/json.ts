import type { Json, JsonObject } from '../../../schema/json.ts'

/** Where a value is: the names and positions that lead to it. */
export type Path = readonly (string | number)[]

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A place in the configuration as errors name it: `configJson.accounts[0].token`. */
export function paramOf(path: Path): string {
  return path.reduce<string>(
    (known, part) => (typeof part === 'number' ? `${known}[${part}]` : `${known}.${part}`),
    'configJson',
  )
}
