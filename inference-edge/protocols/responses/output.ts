import { isRecord } from '../../../platform/checks.ts'
import type { TokenLogprob, ToolCall } from '../../../schema/wire/chat.ts'
import type {
  OutputCall,
  OutputItem,
  OutputLogprob,
  OutputMessage,
  OutputPart,
} from '../../../schema/wire/responses/output.ts'
import type { ResponseBody } from '../../../schema/wire/responses/response.ts'
import type { AnswerPart, ModelAnswer } from './answer.ts'
import { type EmulatedCall, idPrefixes, parseEmulatedCall } from './emulated-tools.ts'
import type { ToolNames } from './tool-names.ts'

type Status = ResponseBody['status']

/** The parts of the request on which the items of the output depend. */
export interface OutputContext {
  /** The common part of all item IDs. An answer has the same IDs whether it is streamed or not. */
  idSuffix: string
  toolNames: ToolNames
}

/**
 * Returns the items of an answer that has ended: one message with all text, then the calls. An answer without either is
 * an empty message, because some clients repeat the request until there is an item.
 */
export function presentOutput(
  { parts, calls }: ModelAnswer,
  context: OutputContext,
  status: Status,
): OutputItem[] {
  const isEmpty = parts.length === 0 && calls.size === 0
  const shown: AnswerPart[] = isEmpty ? [{ kind: 'text', text: '', logprobs: [] }] : parts
  const isCut = status !== 'completed' && calls.size === 0
  const content = shown.map(presentPart)
  const message = presentMessage(context, { content, status: isCut ? 'incomplete' : 'completed' })
  const items: OutputItem[] = content.length > 0 ? [message] : []
  const inOrder = [...calls].sort(([a], [b]) => a - b)
  for (const [, call] of inOrder) items.push(presentCall(call, { context, index: items.length, status }))
  return items
}

/** The message, which is always the first item. */
export function presentMessage(
  { idSuffix }: OutputContext,
  { content, status }: Pick<OutputMessage, 'content' | 'status'>,
): OutputMessage {
  return { id: `msg_${idSuffix}_0`, type: 'message', status, content, role: 'assistant' }
}

export function presentPart({ kind, text, logprobs }: AnswerPart): OutputPart {
  return kind === 'text'
    ? { type: 'output_text', annotations: [], logprobs: presentLogprobs(logprobs), text }
    : { type: 'refusal', refusal: text }
}

/** Translates log probabilities. They are the same as in chat completions, except that `bytes` is never null. */
export function presentLogprobs(logprobs: TokenLogprob[]): OutputLogprob[] {
  return logprobs.map(({ token, logprob, bytes, top_logprobs: others }) => ({
    token,
    logprob,
    bytes: bytes ?? [],
    top_logprobs: (Array.isArray(others) ? others.filter(isRecord) : []).map(other => ({
      token: other.token,
      logprob: other.logprob,
      bytes: other.bytes ?? [],
    })),
  }))
}

/** Presents a call. It is `incomplete` if the answer's limit has cut its arguments, so that they are not valid JSON. */
function presentCall(
  { id, function: { name: calledName, arguments: text } }: ToolCall,
  {
    context: { idSuffix, toolNames },
    index,
    status,
  }: { context: OutputContext; index: number; status: Status },
): OutputCall {
  const { name, namespace, emulated } = toolNames.restore(calledName)
  const common = {
    status: status === 'completed' || isJson(text) ? ('completed' as const) : ('incomplete' as const),
    call_id: id || `call_${idSuffix}_${index}`,
  }
  const named = { name, ...(namespace && { namespace }) }
  if (emulated) {
    const itemId = `${idPrefixes[emulated]}_${idSuffix}_${index}`
    return presentEmulatedCall(parseEmulatedCall(emulated, text), { ...common, ...named, id: itemId })
  }
  return {
    id: `fc_${idSuffix}_${index}`,
    type: 'function_call',
    ...common,
    arguments: text || '{}',
    ...named,
  }
}

function presentEmulatedCall(
  call: EmulatedCall,
  {
    name,
    namespace,
    ...common
  }: {
    id: string
    status: 'completed' | 'incomplete'
    call_id: string
    name: string
    namespace?: string
  },
): OutputCall {
  if (call.type === 'custom_tool_call') return { ...call, ...common, name, ...(namespace && { namespace }) }
  // The protocol has no `incomplete` here; a patch that was cut does not apply anyway.
  if (call.type === 'apply_patch_call') return { ...call, ...common, status: 'completed' }
  return { ...call, ...common }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
