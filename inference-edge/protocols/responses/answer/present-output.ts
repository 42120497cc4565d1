import { isRecord } from '../../../../platform/is-record.ts'
import type { TokenLogprob, ToolCall } from '../../../../schema/wire/chat.ts'
import type {
  OutputCall,
  OutputItem,
  OutputLogprob,
  OutputMessage,
  OutputPart,
} from '../../../../schema/wire/responses/output.ts'
import type { ResponseBody } from '../../../../schema/wire/responses/response.ts'
import type { ToolNames } from '../tools/name-tools.ts'
import { type CallOfKind, idPrefixes, readCall, type StandInKind } from '../tools/stand-ins.ts'
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
  const runs: Said[] =
    said.length === 0 && calls.size === 0 ? [{ kind: 'text', text: '', logprobs: [] }] : said
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

export function presentPart({ kind, text, logprobs }: Said): OutputPart {
  return kind === 'text'
    ? { type: 'output_text', annotations: [], logprobs: presentLogprobs(logprobs), text }
    : { type: 'refusal', refusal: text }
}

/** The same as chat has them, but that bytes are always a list. */
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

/** A call that the limit cut in the middle is `incomplete`: its arguments cannot be read. */
function presentCall(
  { id, function: { name, arguments: text } }: ToolCall,
  { naming: { root, names }, index, status }: { naming: Naming; index: number; status: Status },
): OutputCall {
  const { name: restored, namespace, kind } = names.restore(name)
  const ended = {
    status: status === 'completed' || isJson(text) ? ('completed' as const) : ('incomplete' as const),
    call_id: id || `call_${root}_${index}`,
  }
  const named = { name: restored, ...(namespace && { namespace }) }
  if (kind)
    return presentStandIn(readCall(kind, text), { ...ended, ...named, id: idOf(kind, { root, index }) })
  return { id: `fc_${root}_${index}`, type: 'function_call', ...ended, arguments: text || '{}', ...named }
}

function idOf(kind: StandInKind, { root, index }: { root: string; index: number }): string {
  return `${idPrefixes[kind]}_${root}_${index}`
}

/** A call of a tool that is no function, as its client knows it. */
function presentStandIn(
  call: CallOfKind,
  {
    name,
    namespace,
    ...ended
  }: {
    id: string
    status: 'completed' | 'incomplete'
    call_id: string
    name: string
    namespace?: string
  },
): OutputCall {
  if (call.type === 'custom_tool_call') return { ...call, ...ended, name, ...(namespace && { namespace }) }
  // There is no word for a patch that was cut: what is left of it will not apply.
  if (call.type === 'apply_patch_call') return { ...call, ...ended, status: 'completed' }
  return { ...call, ...ended }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
