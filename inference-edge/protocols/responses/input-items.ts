import { openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam, missingParam } from '../../../schema/refuse-param.ts'
import * as wire from '../../../schema/wire/responses/request.ts'
import type { EmulatedKind } from './emulated-tools.ts'

/** An item of the input; `path` is its path in the request: `input[2]`. */
export type InputItem = InputMessage | InputCall | InputCallOutput

export interface InputMessage {
  kind: 'message'
  path: string
  contentPath: string
  message: wire.MessageItem
}

/** A call of a function, or of a tool that a function emulates. */
export interface InputCall {
  kind: 'call'
  path: string
  /**
   * The kind of an emulated tool, whose call is a call of its function. Except for custom tools, the kind is also the
   * function's name.
   */
  call: wire.FunctionCallItem
  emulated?: EmulatedKind
  /** The ID of the item. The call's output can refer to it instead of `call_id`. */
  itemId?: string | null | undefined
}

export interface InputCallOutput {
  kind: 'output'
  path: string
  output: wire.FunctionCallOutputItem
  isError?: boolean
  /** Whether the call can be missing in the items: calls that ran at the vendor are dropped. */
  mayLackCall?: boolean
}

const checkMessage = openCheck(wire.MessageItem)
const checkAgentMessage = openCheck(wire.AgentMessageItem)
const checkCall = openCheck(wire.FunctionCallItem)
const checkOutput = openCheck(wire.FunctionCallOutputItem)
const checkOutputWithoutCall = openCheck(wire.OutputWithoutCallItem)
const checkCustomCall = openCheck(wire.CustomCallItem)
const checkShellCall = openCheck(wire.ShellCallItem)
const checkPatchCall = openCheck(wire.ApplyPatchCallItem)
const checkLocalShellOutput = openCheck(wire.LocalShellOutputItem)
const checkShellOutput = openCheck(wire.ShellOutputItem)
const checkPatchOutput = openCheck(wire.ApplyPatchOutputItem)

/**
 * Parses the input. A string is one user message. Reasoning, and calls of tools that run at a vendor, are dropped.
 * Throws `missing_parameter` or `invalid_request`, which name the item.
 */
export function parseInput(input: wire.ResponsesRequest['input']): InputItem[] {
  if (typeof input !== 'string') {
    return input.flatMap((item, index) => parseItem(item, `input[${index}]`) ?? [])
  }
  const message = { role: 'user' as const, content: input }
  return [{ kind: 'message', path: 'input', contentPath: 'input', message }]
}

type RawItem = { type?: string; call_id?: unknown; name?: unknown }

function parseItem(item: RawItem, path: string): InputItem | undefined {
  const type = item.type ?? ('role' in item ? 'message' : undefined)
  switch (type) {
    case 'message':
      return { kind: 'message', path, contentPath: `${path}.content`, message: checkMessage(item, path) }
    case 'agent_message':
      return parseAgentMessage(item, path)
    case 'function_call':
      return { kind: 'call', path, call: checkCall(item, path) }
    case 'function_call_output':
      if (item.call_id == null && item.name != null) return parseOutputWithoutCall(item, path)
      return { kind: 'output', path, output: checkOutput(item, path) }
    case undefined:
      throw missingParam(`${path}.type`)
    case 'item_reference':
      throw new Problem('invalid_request', { param: path, message: `${path} ${nothingStored}` })
  }
  if (isOfEmulatedTool(type)) return parseEmulated({ ...item, type }, path)
  if (isOfDroppedTool(type)) return undefined
  throw invalidParam(`${path}.type`, `must be one of ${knownTypes}`)
}

const emulatedTypes: readonly string[] = [
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
]

const knownTypes = ['message, function_call, function_call_output', ...emulatedTypes, 'reasoning'].join(', ')

const nothingStored =
  'refers to a stored item, but items are not stored. Send the item itself, for example with store: false in the client.'

function isOfEmulatedTool(type: string): boolean {
  return emulatedTypes.includes(type)
}

/**
 * Types of items that are dropped because no other vendor can read them: reasoning, and calls and outputs of tools that
 * run at a vendor.
 */
function isOfDroppedTool(type: string): boolean {
  return type === 'reasoning' || /^mcp_|_(call|output)$/.test(type)
}

function parseAgentMessage(item: object, path: string): InputMessage {
  const { content } = checkAgentMessage(item, path)
  return { kind: 'message', path, contentPath: `${path}.content`, message: { role: 'user', content } }
}

/** An output without a call becomes a user message that ends with the name of the tool. */
function parseOutputWithoutCall(item: object, path: string): InputMessage {
  const { name, namespace, output } = checkOutputWithoutCall(item, path)
  const parts = typeof output === 'string' ? [{ type: 'input_text', text: output }] : output
  const source = { type: 'input_text', text: `(output of ${namespace ? `${namespace}.` : ''}${name})` }
  const message = { role: 'user' as const, content: [...parts, source] }
  return { kind: 'message', path, contentPath: `${path}.output`, message }
}

/**
 * Returns a call or output of an emulated tool as a call or output of its function. Returns undefined for a call that
 * ran in a vendor's container.
 */
function parseEmulated(item: wire.Typed, path: string): InputCall | InputCallOutput | undefined {
  switch (item.type) {
    case 'custom_tool_call': {
      const { call_id, name, namespace, input } = checkCustomCall(item, path)
      return callOf('custom', { path, call_id, name, namespace, args: { input } })
    }
    case 'local_shell_call': {
      const { call_id, id, action } = checkShellCall(item, path)
      const { type: _, ...args } = action
      return { ...callOf('local_shell', { path, call_id, args }), itemId: id }
    }
    case 'shell_call': {
      const { call_id, action, environment } = checkShellCall(item, path)
      if (environment && environment.type !== 'local') return undefined
      return callOf('shell', { path, call_id, args: action })
    }
    case 'apply_patch_call': {
      const { call_id, operation } = checkPatchCall(item, path)
      return callOf('apply_patch', { path, call_id, args: { operation } })
    }
    case 'local_shell_call_output': {
      const { id, call_id, output } = checkLocalShellOutput(item, path)
      const called = call_id || id
      if (!called) throw missingParam(`${path}.call_id`)
      return { kind: 'output', path, output: { call_id: called, output } }
    }
    case 'shell_call_output': {
      const { call_id, output } = checkShellOutput(item, path)
      return { kind: 'output', path, output: { call_id, output: JSON.stringify(output) }, mayLackCall: true }
    }
    case 'apply_patch_call_output': {
      const { call_id, status, output } = checkPatchOutput(item, path)
      const isError = status === 'failed'
      return { kind: 'output', path, output: { call_id, output: output || status }, isError }
    }
  }
  return { kind: 'output', path, output: checkOutput(item, path) }
}

function callOf(
  emulated: EmulatedKind,
  {
    path,
    call_id,
    name = emulated,
    namespace,
    args,
  }: { path: string; call_id: string; name?: string; namespace?: string | null | undefined; args: object },
): InputCall {
  const call = { call_id, name, arguments: JSON.stringify(args), ...(namespace && { namespace }) }
  return { kind: 'call', path, call, emulated }
}
