import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import * as wire from '../../../../schema/wire/responses/request.ts'
import type { StandInKind } from '../tools/stand-ins.ts'
import { isOfStandIns, parseStandIn } from './parse-stand-ins.ts'

/** One item of the input, and where it stands: `input[2]`. */
export type Item = MessageItem | CallItem | OutputItem
export type MessageItem = { at: string; contentAt: string; kind: 'message'; message: wire.MessageItem }
/** A call of a function, or of one that stands for a tool of that kind: then `name` is the kind, but for custom tools. */
export type CallItem = {
  at: string
  kind: 'call'
  call: wire.FunctionCallItem
  standsFor?: StandInKind
  /** Another id by which its output may name it. */
  otherId?: string | null | undefined
}
export type OutputItem = {
  at: string
  kind: 'output'
  output: wire.FunctionCallOutputItem
  isError?: boolean
  /** Its call may have been one of the server's own, which are dropped. */
  mayBeAlone?: boolean
}

const checkMessage = openCheck(wire.MessageItem)
const checkAgentMessage = openCheck(wire.AgentMessageItem)
const checkCall = openCheck(wire.FunctionCallItem)
const checkOutput = openCheck(wire.FunctionCallOutputItem)
const checkUnaskedOutput = openCheck(wire.UnaskedOutputItem)

/** The items that a model is told of; a string is one user message. Throws Problem, naming the item. */
export function parseItems(input: wire.ResponsesRequest['input']): Item[] {
  if (typeof input !== 'string') {
    return input.flatMap((item, index) => parseItem(item, `input[${index}]`) ?? [])
  }
  return [{ at: 'input', contentAt: 'input', kind: 'message', message: { role: 'user', content: input } }]
}

function parseItem(item: { type?: string; call_id?: unknown; name?: unknown }, at: string): Item | undefined {
  const type = item.type ?? ('role' in item ? 'message' : undefined)
  switch (type) {
    case 'message':
      return { at, contentAt: `${at}.content`, kind: 'message', message: checkMessage(item, at) }
    case 'agent_message':
      return parseAgentMessage(item, at)
    case 'function_call':
      return { at, kind: 'call', call: checkCall(item, at) }
    case 'function_call_output':
      if (item.call_id == null && item.name != null) return parseUnaskedOutput(item, at)
      return { at, kind: 'output', output: checkOutput(item, at) }
    case undefined:
      throw new Problem('missing_parameter', { param: `${at}.type`, message: `${at}.type is required.` })
    case 'item_reference':
      throw new Problem('invalid_request', { param: at, message: `${at} ${nothingStored}` })
  }
  if (isOfStandIns(type)) return parseStandIn({ ...item, type }, at)
  if (isOfOthers(type)) return undefined
  const message = `${at}.type must be one of ${knownTypes}.`
  throw new Problem('invalid_request', { param: `${at}.type`, message })
}

const knownTypes =
  'message, function_call, function_call_output, custom_tool_call, custom_tool_call_output, local_shell_call, ' +
  'local_shell_call_output, shell_call, shell_call_output, apply_patch_call, apply_patch_call_output, reasoning'

const nothingStored =
  'refers to a stored item, but nothing is stored here. Send the item itself: clients do so with store: false.'

function parseAgentMessage(item: object, at: string): MessageItem {
  const { content } = checkAgentMessage(item, at)
  return { at, contentAt: `${at}.content`, kind: 'message', message: { role: 'user', content } }
}

/** No call waits for it, so it is told as a message; whose it is stands behind it. */
function parseUnaskedOutput(item: object, at: string): MessageItem {
  const { name, namespace, output } = checkUnaskedOutput(item, at)
  const parts = typeof output === 'string' ? [{ type: 'input_text', text: output }] : output
  const whose = { type: 'input_text', text: `(output of ${namespace ? `${namespace}.` : ''}${name})` }
  const message = { role: 'user' as const, content: [...parts, whose] }
  return { at, contentAt: `${at}.output`, kind: 'message', message }
}

/** Reasoning, and the traces of tools that are dropped with their declarations: no vendor could read them. */
function isOfOthers(type: string): boolean {
  return type === 'reasoning' || /^mcp_|_(call|output)$/.test(type)
}
