import { memo } from '../../platform/memo.ts'
import { matchesPattern } from '../../platform/patterns.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkAll } from '../check-all.ts'

/** The lists of a key that restrict its models, by their names in REST. */
export type RuleName = 'allowed_models' | 'allowed_vendors'

/** Maximum number of patterns in a list. */
export const maxPatterns = 50

/** A name, or a part of it with `*` for any characters. At most 200 characters. */
export const patternShape = /^[\w*][\w*./:@+-]{0,199}$/

/** Checks a list of patterns. Throws `validation_failed`, which names the list or every wrong pattern. */
export function checkPatterns(param: string, patterns: readonly string[]): void {
  if (patterns.length > maxPatterns) refuseParam(param, `takes at most ${maxPatterns} patterns`)
  checkAll(
    ...patterns.map((pattern, index) => () => {
      if (patternShape.test(pattern)) return
      const message =
        'A pattern must be a name, or a part of it with `*` for any characters: at most 200 letters, digits and _ * . / : @ + -'
      throw new Problem('validation_failed', { param: `${param}[${index}]`, message })
    }),
  )
}

/** The compiled lists of a key. */
export interface ModelRules {
  /** Returns the list that refuses a model; undefined if the key may call it. */
  refusedBy(entry: CatalogueEntry, vendor: Vendor | undefined): RuleName | undefined
}

/**
 * Compiles the lists of a key; undefined if both are empty, so that its requests need no check. Keys with the same lists
 * share one result.
 */
export function compileModelRules(
  models: readonly string[],
  vendors: readonly string[],
): ModelRules | undefined {
  return models.length + vendors.length === 0 ? undefined : compiled(JSON.stringify([models, vendors]))
}

/** Maximum number of different lists that stay compiled, and of their characters together, which bounds their memory. */
const maxCompiled = 10_000
const maxCharacters = 8_000_000

const compiled = memo(maxCompiled, compile, { maxCharacters })

function compile(text: string): ModelRules {
  const [models, vendors]: [string[], string[]] = JSON.parse(text)
  const allowsModel = compilePatterns(models)
  const allowsVendor = compilePatterns(vendors)
  // A change of the catalogue creates new entries.
  const known = new WeakMap<CatalogueEntry, { refusedBy: RuleName | undefined }>()
  const refusedBy = (entry: CatalogueEntry, vendor: Vendor | undefined): RuleName | undefined => {
    if (!allowsModel([entry.model, ...(entry.known_as ?? [])])) return 'allowed_models'
    return allowsVendor([entry.provider, ...(vendor?.aliases ?? [])]) ? undefined : 'allowed_vendors'
  }
  return {
    refusedBy(entry, vendor) {
      const result = known.get(entry) ?? { refusedBy: refusedBy(entry, vendor) }
      known.set(entry, result)
      return result.refusedBy
    },
  }
}

/** Returns whether one of the names of a thing matches one of the patterns. An empty list allows every name. */
function compilePatterns(patterns: readonly string[]): (names: readonly string[]) => boolean {
  if (patterns.length === 0) return () => true
  const exact = new Set(patterns.filter(pattern => !pattern.includes('*')))
  const open = patterns.filter(pattern => pattern.includes('*'))
  return names => names.some(name => exact.has(name) || open.some(pattern => matchesPattern(pattern, name)))
}
