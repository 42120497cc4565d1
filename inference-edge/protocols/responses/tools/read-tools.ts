import { openCheck } from '../../../../domain/inference/open-check.ts'
import {
  FunctionTool,
  NamespaceTool,
  type ResponsesRequest,
  type Typed,
} from '../../../../schema/wire/responses/request.ts'

/** A function on offer. */
export interface Offer {
  /** Where in the request it stands: `tools[1]`, `tools[2].tools[0]`. */
  at: string
  tool: FunctionTool
  namespace?: NamespaceTool
}

const checkFunction = openCheck(FunctionTool)
const checkNamespace = openCheck(NamespaceTool)

/**
 * The functions that a vendor can be told of. All other tools are the server's own, or speak in other ways than JSON:
 * they are dropped without a word (contract: Responses protocol, tools). Throws Problem for a function that is none.
 */
export function readTools(tools: ResponsesRequest['tools']): Offer[] {
  return (tools ?? []).flatMap((tool, index) => {
    const at = `tools[${index}]`
    if (tool.type !== 'namespace') return readFunction(tool, at)
    const namespace = checkNamespace(tool, at)
    return namespace.tools.flatMap((inner, position) =>
      readFunction(inner, `${at}.tools[${position}]`).map(offer => ({ ...offer, namespace })),
    )
  })
}

function readFunction(tool: Typed, at: string): Offer[] {
  return tool.type === 'function' ? [{ at, tool: checkFunction(tool, at) }] : []
}
