import type { Json, JsonObject } from '../../../schema/json.ts'
import { type Path, paramOf } from './json.ts'

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
