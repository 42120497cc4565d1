import type { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { Message, ToolCall } from '../../../schema/wire/chat.ts'
import type { ParamNames } from '../param-names.ts'
import { buildContent } from './content.ts'
import type { InputCall, InputCallOutput, InputItem, InputMessage } from './input-items.ts'
import type { ToolNames } from './tool-names.ts'

/**
 * Translates the input to chat messages, `instructions` first. The outputs of a turn's calls are moved directly after
 * the turn, in the order of the calls, because vendors accept them only there. Adds each message's path in the request
 * to `paramNames`. Throws `invalid_request` for an output without a call, and for a call without an output.
 */
export function buildMessages(
  items: InputItem[],
  {
    instructions,
    toolNames,
    paramNames,
  }: { instructions: string | null | undefined; toolNames: ToolNames; paramNames: ParamNames },
): Message[] {
  const messages: Message[] = []
  const add = (message: Message, { path, contentPath }: { path: string; contentPath: string }) => {
    const param = `messages[${messages.push(message) - 1}]`
    paramNames.set(param, path).set(`${param}.content`, contentPath)
    return param
  }
  if (instructions) {
    add({ role: 'system', content: instructions }, { path: 'instructions', contentPath: 'instructions' })
  }
  const outputs = outputsByCallId(items)
  for (const { message, calls, ...paths } of groupTurns(items)) {
    if (calls.length > 0) message.tool_calls = calls.map(call => buildCall(call, toolNames))
    const param = add(message, paths)
    for (const [index, call] of calls.entries()) {
      paramNames.set(`${param}.tool_calls[${index}]`, call.path)
      const { path, output, isError } = takeOutput(outputs, call)
      const contentPath = `${path}.output`
      const content = buildContent(output.output, contentPath)
      const result: Message = { role: 'tool', tool_call_id: call.call.call_id, content }
      add(isError ? { ...result, is_error: true } : result, { path, contentPath })
    }
  }
  refuseLeftOver(outputs)
  if (messages.length === 0) throw invalidParam('input', 'has no content that a model could answer')
  return messages
}

/** A chat message with the assistant's calls in it. */
interface Turn {
  path: string
  contentPath: string
  message: Message
  calls: InputCall[]
}

/**
 * Groups the items into turns. Calls belong to the assistant's message directly before them, or else form a turn
 * without text. An output ends the turn, so that consecutive calls do not become parallel.
 */
function groupTurns(items: InputItem[]): Turn[] {
  const turns: Turn[] = []
  let open: Turn | undefined
  for (const item of items) {
    if (item.kind === 'output') {
      open = undefined
    } else if (item.kind === 'message') {
      const turn = turnOf(item)
      turns.push(turn)
      open = turn.message.role === 'assistant' ? turn : undefined
    } else {
      if (!open) {
        const { path } = item
        open = { path, contentPath: path, message: { role: 'assistant', content: null }, calls: [] }
        turns.push(open)
      }
      open.calls.push(item)
    }
  }
  return turns
}

function turnOf({ path, contentPath, message: { role, content } }: InputMessage): Turn {
  const message: Message = {
    role: role === 'developer' ? 'system' : role,
    content: buildContent(content, contentPath),
  }
  return { path, contentPath, message, calls: [] }
}

function buildCall({ call, emulated }: InputCall, toolNames: ToolNames): ToolCall {
  const { call_id, name, namespace, arguments: text } = call
  const isNamed = emulated === undefined || emulated === 'custom'
  return {
    id: call_id,
    type: 'function',
    function: {
      name: isNamed ? toolNames.flatten({ name, namespace }) : toolNames.emulating(emulated),
      arguments: text,
    },
  }
}

/** Groups the outputs by `call_id`. Each list is reversed, so that the next output can be popped. */
type Outputs = Map<string, InputCallOutput[]>

function outputsByCallId(items: InputItem[]): Outputs {
  const outputs = items.filter(item => item.kind === 'output').reverse()
  return Map.groupBy(outputs, ({ output }) => output.call_id)
}

/** Removes and returns the call's first remaining output. An ID can occur again in a later turn. */
function takeOutput(outputs: Outputs, { path, call: { call_id }, itemId }: InputCall): InputCallOutput {
  const found = outputs.get(call_id)?.pop() ?? outputs.get(itemId ?? call_id)?.pop()
  if (found) return found
  throw refuseCallId(path, `has no output. Add the output of ${call_id} after it`)
}

function refuseLeftOver(outputs: Outputs): void {
  for (const [output] of outputs.values()) {
    if (output && !output.mayLackCall)
      throw refuseCallId(output.path, `is not the call_id of a call in the input: ${output.output.call_id}`)
  }
}

function refuseCallId(path: string, rule: string): Problem {
  return invalidParam(`${path}.call_id`, rule)
}
