import { openCheck } from '../../../../domain/inference/open-check.ts'
import {
  CustomTool,
  FunctionTool,
  NamespaceTool,
  type ResponsesRequest,
  ShellTool,
  type Typed,
} from '../../../../schema/wire/responses/request.ts'
import { type StandInKind, standInForCustom, standIns } from './stand-ins.ts'

/** A function on offer, or the one that stands for another tool of the client's. */
export interface Offer {
  /** Where in the request it stands: `tools[1]`, `tools[2].tools[0]`. */
  at: string
  kind: 'function' | StandInKind
  tool: FunctionTool
  /** A custom tool as the client declared it. */
  custom?: CustomTool
  namespace?: NamespaceTool
}

const checkFunction = openCheck(FunctionTool)
const checkCustom = openCheck(CustomTool)
const checkShell = openCheck(ShellTool)
const checkNamespace = openCheck(NamespaceTool)

/**
 * The functions that a vendor can be told of, and those that stand for other tools which the client runs. All that are
 * left are the server's own: they are dropped without a word (README: tools of Responses). Throws Problem for
 * a tool whose shape is not that of its type.
 */
export function readTools(tools: ResponsesRequest['tools']): Offer[] {
  const offers = (tools ?? []).flatMap((tool, index) => {
    const at = `tools[${index}]`
    if (tool.type !== 'namespace') return readTool(tool, at)
    const namespace = checkNamespace(tool, at)
    return namespace.tools.flatMap((inner, position) => {
      const read = readTool(inner, `${at}.tools[${position}]`)
      return read
        .filter(({ kind }) => kind === 'function' || kind === 'custom')
        .map(offer => ({ ...offer, namespace }))
    })
  })
  return renameStandIns(offers)
}

function readTool(tool: Typed, at: string): Offer[] {
  switch (tool.type) {
    case 'function':
      return [{ at, kind: 'function', tool: checkFunction(tool, at) }]
    case 'custom': {
      const custom = checkCustom(tool, at)
      return [{ at, kind: 'custom', tool: standInForCustom(custom), custom }]
    }
    case 'shell': {
      const { environment } = checkShell(tool, at)
      if (environment && environment.type !== 'local') return []
      return [{ at, kind: 'shell', tool: standIns.shell }]
    }
    case 'local_shell':
    case 'apply_patch':
      return [{ at, kind: tool.type, tool: standIns[tool.type] }]
  }
  return []
}

/** The names of the client's own functions are the client's: a stand-in makes way. */
function renameStandIns(offers: Offer[]): Offer[] {
  const taken = new Set(
    offers.flatMap(({ kind, tool }) => (kind === 'function' || kind === 'custom' ? [tool.name] : [])),
  )
  return offers.map(offer => {
    if (offer.kind === 'function' || offer.kind === 'custom') return offer
    let { name } = offer.tool
    while (taken.has(name)) name += '_tool'
    return { ...offer, tool: { ...offer.tool, name } }
  })
}
