import type { ResponsesRequest } from '../../../../schema/wire/responses/request.ts'
import type { EchoedFormat } from '../../../../schema/wire/responses/response.ts'
import { type Item, parseItems } from '../input/parse-items.ts'
import { nameTools, type ToolName, type ToolNames } from '../tools/name-tools.ts'
import { type Choice, readToolChoice } from '../tools/read-tool-choice.ts'
import { type Offer, readTools } from '../tools/read-tools.ts'
import { readFormat } from './build-format.ts'
import { parseRequest } from './parse-request.ts'

/** What was asked, read and understood. */
export interface Asked {
  fields: ResponsesRequest
  items: Item[]
  offers: Offer[]
  choice: Choice | undefined
  format: EchoedFormat
  names: ToolNames
}

/** Reads a body of the Responses protocol. Throws Problem, naming the parameter as the client spells it. */
export function readAsked(body: unknown): Asked {
  const fields = parseRequest(body)
  const offers = readTools(fields.tools)
  return {
    fields,
    items: parseItems(fields.input),
    offers,
    choice: readToolChoice(fields.tool_choice, { offers, tools: fields.tools }),
    format: readFormat(fields.text),
    names: nameTools(offers.map(nameOf)),
  }
}

function nameOf({ kind, tool: { name }, namespace }: Offer): ToolName {
  return { name, namespace: namespace?.name ?? null, ...(kind !== 'function' && { kind }) }
}
