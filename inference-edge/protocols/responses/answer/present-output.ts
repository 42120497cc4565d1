import type { ToolCall } from '../../../../schema/wire/chat.ts'
import type {
  OutputFunctionCall,
  OutputItem,
  OutputMessage,
  OutputPart,
} from '../../../../schema/wire/responses/output.ts'
import type { ResponseBody } from '../../../../schema/wire/responses/response.ts'
import type { ToolNames } from '../tools/name-tools.ts'
import type { Answer, Said } from './collect-answer.ts'

type Status = ResponseBody['status']

/** What the items of an answer are named after: the same answer has the same ids, whole and streamed. */
export interface Naming {
  /** The request's id without its prefix. */
  root: string
  names: ToolNames
}

/**
 * The items of an answer that has ended: a message with all that was said, then the calls. An answer without either
 * is an empty message: there are clients that ask again until there is an item.
 */
export function presentOutput({ said, calls }: Answer, naming: Naming, status: Status): OutputItem[] {
  const runs: Said[] = said.length === 0 && calls.size === 0 ? [{ kind: 'text', text: '' }] : said
  const isCut = status !== 'completed' && calls.size === 0
  const content = runs.map(presentPart)
  const message = presentMessage(naming, { content, status: isCut ? 'incomplete' : 'completed' })
  const items: OutputItem[] = content.length > 0 ? [message] : []
  const inOrder = [...calls].sort(([a], [b]) => a - b)
  for (const [, call] of inOrder) items.push(presentCall(call, { naming, index: items.length, status }))
  return items
}

/** The message is always the first item. */
export function presentMessage(
  { root }: Naming,
  { content, status }: Pick<OutputMessage, 'content' | 'status'>,
): OutputMessage {
  return { id: `msg_${root}_0`, type: 'message', status, content, role: 'assistant' }
}

export function presentPart({ kind, text }: Said): OutputPart {
  return kind === 'text'
    ? { type: 'output_text', annotations: [], logprobs: [], text }
    : { type: 'refusal', refusal: text }
}

/** A call that the limit cut in the middle is `incomplete`: its arguments cannot be read. */
function presentCall(
  { id, function: { name, arguments: text } }: ToolCall,
  { naming: { root, names }, index, status }: { naming: Naming; index: number; status: Status },
): OutputFunctionCall {
  const { name: restored, namespace } = names.restore(name)
  return {
    id: `fc_${root}_${index}`,
    type: 'function_call',
    status: status === 'completed' || isJson(text) ? 'completed' : 'incomplete',
    arguments: text || '{}',
    call_id: id || `call_${root}_${index}`,
    name: restored,
    ...(namespace && { namespace }),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
