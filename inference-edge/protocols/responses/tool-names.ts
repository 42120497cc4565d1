import { createHash } from 'node:crypto'
import type { EmulatedKind } from './emulated-tools.ts'

/** A function as the client names it. */
export interface ToolName {
  name: string
  namespace?: string | null | undefined
  /** The kind of tool that the function emulates. */
  emulated?: EmulatedKind
}

/**
 * Translates between the client's names of functions and those sent to the vendor, which knows no namespaces.
 */
export interface ToolNames {
  /** The vendor's name of a function. */
  flatten(tool: ToolName): string
  /** The client's name of the function that the vendor calls. */
  restore(name: string): ToolName
  /** The name of the function that emulates the tool of this kind. */
  emulating(kind: EmulatedKind): string
}

/** The longest name that every vendor accepts. */
const longestName = 64

/**
 * Names the functions of a request for the vendor. A function in a namespace is called `namespace__name`;
 * where that is too long, has characters that are not allowed or is taken, it ends with a hash. A tool has
 * the same name in every turn.
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
