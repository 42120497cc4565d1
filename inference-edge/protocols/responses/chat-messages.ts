import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { Message, ToolCall } from '../../../schema/wire/chat.ts'
import type { ParamNames } from '../param-names.ts'
import { buildContent } from './content.ts'
import type { InputCall, InputCallOutput, InputItem, InputMessage } from './input-items.ts'
import type { ToolNames } from './tool-names.ts'

/**
 * Translates the input into chat messages, `instructions` first. The outputs of a turn's calls are moved
 * right behind it, in the order of the calls, since vendors accept them nowhere else. Adds each message's
 * path in the request to `paramNames`. Throws `invalid_request` for an output without a call, and for a call
 * without an output.
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
  if (messages.length === 0) {
    const message = 'input has nothing that a model could answer.'
    throw new Problem('invalid_request', { param: 'input', message })
  }
  return messages
}

/** One chat message, and the calls that the assistant made with it. */
interface Turn {
  path: string
  contentPath: string
  message: Message
  calls: InputCall[]
}

/**
 * Groups the items into turns: calls belong to the assistant's message right before them, else they are a
 * turn without text. An output ends the turn, so that calls which were made one after the other do not become
 * parallel.
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

/** The outputs by `call_id`, each list reversed: the next one is popped. */
type Outputs = Map<string, InputCallOutput[]>

function outputsByCallId(items: InputItem[]): Outputs {
  const outputs = items.filter(item => item.kind === 'output').reverse()
  return Map.groupBy(outputs, ({ output }) => output.call_id)
}

/** The first output of the call that is left: an id may come again in a later turn. */
function takeOutput(outputs: Outputs, { path, call: { call_id }, itemId }: InputCall): InputCallOutput {
  const found = outputs.get(call_id)?.pop() ?? outputs.get(itemId ?? call_id)?.pop()
  if (found) return found
  throw refuseCallId(path, `has no output: the input needs the output of ${call_id} after it`)
}

function refuseLeftOver(outputs: Outputs): void {
  for (const [output] of outputs.values()) {
    if (output && !output.mayLackCall)
      throw refuseCallId(output.path, `is that of no call in the input: ${output.output.call_id}`)
  }
}

function refuseCallId(path: string, rule: string): Problem {
  return invalidParam(`${path}.call_id`, rule)
}
