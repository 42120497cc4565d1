import { Problem } from '../../../../schema/errors.ts'
import type { Message, ToolCall } from '../../../../schema/wire/chat.ts'
import type { ParamNames } from '../../param-names.ts'
import type { ToolNames } from '../tools/name-tools.ts'
import { buildContent } from './build-content.ts'
import type { CallItem, Item, OutputItem } from './parse-items.ts'
import { takeTurns } from './take-turns.ts'

/**
 * The input as chat messages, `instructions` first. The outputs of a turn's calls follow it in the order of the
 * calls, wherever in the input they stand: vendors take them nowhere else. Throws Problem for an output that no call
 * asked for, and for a call without output. Notes in `paramNames` where each message came from.
 */
export function buildMessages(
  items: Item[],
  {
    instructions,
    names,
    paramNames,
  }: { instructions?: string | null; names: ToolNames; paramNames: ParamNames },
): Message[] {
  const messages: Message[] = []
  const add = (message: Message, { at, contentAt }: { at: string; contentAt: string }) => {
    const place = `messages[${messages.push(message) - 1}]`
    paramNames.set(place, at).set(`${place}.content`, contentAt)
    return place
  }
  if (instructions) add({ role: 'system', content: instructions }, { at: instructed, contentAt: instructed })
  const outputs = collectOutputs(items)
  for (const { message, calls, ...places } of takeTurns(items)) {
    if (calls.length > 0) message.tool_calls = calls.map(item => buildCall(item, names))
    const place = add(message, places)
    for (const [index, call] of calls.entries()) {
      paramNames.set(`${place}.tool_calls[${index}]`, call.at)
      const { at, output, isError } = takeOutput(outputs, call)
      const contentAt = `${at}.output`
      const content = buildContent(output.output, contentAt)
      const result: Message = { role: 'tool', tool_call_id: call.call.call_id, content }
      add(isError ? { ...result, is_error: true } : result, { at, contentAt })
    }
  }
  refuseOrphan(outputs)
  if (messages.length === 0) {
    const message = 'input has nothing that a model could answer.'
    throw new Problem('invalid_request', { param: 'input', message })
  }
  return messages
}

const instructed = 'instructions'

type Outputs = Map<string, OutputItem[]>

/** By call id; the first stands last, to be taken first. */
function collectOutputs(items: Item[]): Outputs {
  const outputs = items.filter(item => item.kind === 'output').reverse()
  return Map.groupBy(outputs, ({ output }) => output.call_id)
}

function buildCall({ call, standsFor }: CallItem, names: ToolNames): ToolCall {
  const { call_id, name, namespace, arguments: text } = call
  const isFixed = standsFor !== undefined && standsFor !== 'custom'
  return {
    id: call_id,
    type: 'function',
    function: {
      name: isFixed ? names.ofKind(standsFor) : names.flatten({ name, namespace }),
      arguments: text,
    },
  }
}

/** The first output of the call that was not taken yet: ids may come again in a later turn. */
function takeOutput(outputs: Outputs, { at, call: { call_id }, otherId }: CallItem): OutputItem {
  const found = outputs.get(call_id)?.pop() ?? outputs.get(otherId ?? call_id)?.pop()
  if (found) return found
  throw refuseCallId(at, `has no output: the input needs the output of ${call_id} after it`)
}

function refuseOrphan(outputs: Outputs): void {
  for (const [orphan] of outputs.values()) {
    if (orphan && !orphan.mayBeAlone)
      throw refuseCallId(orphan.at, `is that of no call in the input: ${orphan.output.call_id}`)
  }
}

function refuseCallId(at: string, complaint: string): Problem {
  const param = `${at}.call_id`
  return new Problem('invalid_request', { param, message: `${param} ${complaint}.` })
}
