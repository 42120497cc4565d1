import { createHash } from 'node:crypto'
import type { StandInKind } from './stand-ins.ts'

/** A function as its client names it. */
export interface ToolName {
  name: string
  namespace?: string | null
  /** Where it stands for a tool that is no function. */
  kind?: StandInKind
}

/** Names of functions, there and back: chat knows no namespaces. */
export interface ToolNames {
  /** The name that the vendor is told. */
  flatten(tool: ToolName): string
  /** The name that the client gave to what the vendor calls. */
  restore(name: string): ToolName
  /** The name of the function that stands for the one tool of that kind. */
  ofKind(kind: StandInKind): string
}

/** The longest name that every vendor takes. */
const longestName = 64

/**
 * Names the functions of a request for a vendor. Those of a namespace become `namespace__name`; where that is too
 * long, not allowed or the name of another, its end is a hash. The same tools have the same names in every turn.
 */
export function nameTools(tools: ToolName[]): ToolNames {
  const holders = Map.groupBy(tools, join)
  const flatten = (tool: ToolName) => {
    const joined = join(tool)
    const isFree = isAllowed(joined) && (holders.get(joined)?.length ?? 0) <= 1
    return isFree || !tool.namespace ? joined : shorten(joined, JSON.stringify([tool.namespace, tool.name]))
  }
  const known = new Map(tools.filter(tool => tool.namespace || tool.kind).map(tool => [flatten(tool), tool]))
  return {
    flatten,
    restore: name => known.get(name) ?? { name },
    ofKind: kind => tools.find(tool => tool.kind === kind)?.name ?? kind,
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
