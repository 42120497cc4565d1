import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import { mergeSchemas } from './merge-schemas.ts'
import type { Place } from './place.ts'

/** Below this depth the simplest branch is taken, so that recursive schemas come to an end. */
const choosyDepth = 4
/** References that only point at each other end here. */
const mostSteps = 64

/** A schema without references, allOf, anyOf or oneOf: everything that they say, or the branch taken, in one record. */
export function flattenSchema(schema: Json, place: Place, steps = 0): JsonRecord {
  if (!isRecord(schema) || steps > mostSteps) return {}
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema
  const parts: Json[] = Array.isArray(allOf) ? [...allOf] : []
  if (typeof reference === 'string') parts.push(followPointer(place.root, reference))
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches)) parts.push(chooseBranch(branches, place))
  }
  return parts.reduce<JsonRecord>(
    (flat, part) => mergeSchemas(flat, flattenSchema(part, place, steps + 1)),
    own,
  )
}

/** What a reference like `#/$defs/node` points at; a schema that allows everything where that is nothing. */
function followPointer(root: Json, reference: string): Json {
  const [, ...names] = decodeURIComponent(reference).split('/')
  let found: Json | undefined = root
  for (const name of names.map(text => text.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (Array.isArray(found)) found = found[Number(name)]
    else found = isRecord(found) ? found[name] : undefined
  }
  return found ?? true
}

function chooseBranch(branches: readonly Json[], place: Place): Json {
  const simplest = (): Json | undefined => branches.toSorted((one, other) => weigh(one) - weigh(other))[0]
  const chosen = place.depth < choosyDepth ? branches.find(branch => !isNull(branch)) : simplest()
  return chosen ?? branches[0] ?? true
}

function isNull(branch: Json): boolean {
  return isRecord(branch) && branch.type === 'null'
}

/** How far a branch may lead: nothing, a plain value, a list, or anything else. */
function weigh(branch: Json): number {
  if (isNull(branch)) return 0
  if (!isRecord(branch)) return 3
  if (branch.const !== undefined || branch.enum !== undefined) return 1
  if (typeof branch.type === 'string' && branch.type !== 'object') return branch.type === 'array' ? 2 : 1
  return branch.$ref === undefined ? 3 : 4
}
