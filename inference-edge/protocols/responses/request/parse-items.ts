import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import * as wire from '../../../../schema/wire/responses/request.ts'

/** One item of the input, and where it stands: `input[2]`. */
export type Item = MessageItem | CallItem | OutputItem
export type MessageItem = { at: string; kind: 'message'; message: wire.MessageItem }
export type CallItem = { at: string; kind: 'call'; call: wire.FunctionCallItem }
export type OutputItem = { at: string; kind: 'output'; output: wire.FunctionCallOutputItem }

const checkMessage = openCheck(wire.MessageItem)
const checkCall = openCheck(wire.FunctionCallItem)
const checkOutput = openCheck(wire.FunctionCallOutputItem)

/** The items that a model is told of; a string is one user message. Throws Problem, naming the item. */
export function parseItems(input: wire.ResponsesRequest['input']): Item[] {
  if (typeof input === 'string') {
    return [{ at: 'input', kind: 'message', message: { role: 'user', content: input } }]
  }
  return input.flatMap((item, index) => parseItem(item, `input[${index}]`) ?? [])
}

function parseItem(item: { type?: string }, at: string): Item | undefined {
  const type = item.type ?? ('role' in item ? 'message' : undefined)
  switch (type) {
    case 'message':
      return { at, kind: 'message', message: checkMessage(item, at) }
    case 'function_call':
      return { at, kind: 'call', call: checkCall(item, at) }
    case 'function_call_output':
      return { at, kind: 'output', output: checkOutput(item, at) }
    case 'item_reference':
      throw new Problem('invalid_request', {
        param: at,
        message: `${at} refers to a stored item, but nothing is stored here. Send the item itself.`,
      })
    case undefined:
      throw new Problem('missing_parameter', { param: `${at}.type`, message: `${at}.type is required.` })
  }
  if (isOfOthers(type)) return undefined
  throw new Problem('invalid_request', {
    param: `${at}.type`,
    message: `${at}.type must be one of message, function_call, function_call_output, reasoning.`,
  })
}

/** Reasoning, and the traces of tools that are dropped with their declarations: no vendor could read them. */
function isOfOthers(type: string): boolean {
  return type === 'reasoning' || /^mcp_|_(call|output)$/.test(type)
}
