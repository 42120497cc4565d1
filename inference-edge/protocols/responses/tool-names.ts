import { createHash } from 'node:crypto'
import type { EmulatedKind } from './emulated-tools.ts'

/** A function by the client's name. */
export interface ToolName {
  name: string
  namespace?: string | null | undefined
  /** The kind of tool that the function emulates. */
  emulated?: EmulatedKind
}

/** Translates between the client's names of functions and the vendor's names, which have no namespaces. */
export interface ToolNames {
  /** Returns the vendor's name of a function. */
  flatten(tool: ToolName): string
  /** Returns the client's name of a function that the vendor calls. */
  restore(name: string): ToolName
  /** Returns the name of the function that emulates a tool of this kind. */
  emulating(kind: EmulatedKind): string
}

/** Maximum length of a name that every vendor accepts, in characters. */
const longestName = 64

/**
 * Names the functions of a request for the vendor. The name of a function in a namespace is `namespace__name`. If it is
 * too long, contains characters that are not allowed, or is already used, it ends with a hash. A tool has the same name
 * in every turn.
 */
export function nameTools(tools: ToolName[]): ToolNames {
  const toolsByName = Map.groupBy(tools, join)
  const flatten = (tool: ToolName) => {
    const joined = join(tool)
    const isFree = isAllowed(joined) && (toolsByName.get(joined)?.length ?? 0) <= 1
    return isFree || !tool.namespace ? joined : shorten(joined, JSON.stringify([tool.namespace, tool.name]))
  }
  const renamed = tools.filter(tool => tool.namespace || tool.emulated)
  const originals = new Map(renamed.map(tool => [flatten(tool), tool]))
  return {
    flatten,
    restore: name => originals.get(name) ?? { name },
    emulating: kind => tools.find(tool => tool.emulated === kind)?.name ?? kind,
  }
}

function join({ namespace, name }: ToolName): string {
  if (!namespace) return name
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
}

function isAllowed(name: string): boolean {
  return /^[a-zA-Z0-9_-]+$/.test(name) && name.length <= longestName
}

function shorten(name: string, identity: string): string {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 10)
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longestName - hash.length - 1)}_${hash}`
}
