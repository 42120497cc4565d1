import { appendPiece } from '../../../platform/append-piece.ts'
import { isRecord } from '../../../platform/checks.ts'
import type {
  ChatChunk,
  ChatCompletion,
  Logprobs,
  TokenLogprob,
  ToolCall,
  ToolCallFragment,
} from '../../../schema/wire/chat.ts'

/** A part of the assistant's message: text or refusal without a change between them. */
export interface AnswerPart {
  kind: 'text' | 'refusal'
  text: string
  /** Of the text's tokens, where the client asked for them. */
  logprobs: TokenLogprob[]
}

/** A vendor's answer, as far as it has come. */
export interface Answer {
  /** The model that answers. */
  model: string
  parts: AnswerPart[]
  /** By the index that says their order. */
  calls: Map<number, ToolCall>
  finishReason: string | null
}

export function openAnswer(model: string): Answer {
  return { model, parts: [], calls: new Map(), finishReason: null }
}

/** Reads an answer that is not streamed; of several choices only the first. */
export function readAnswer({ model, choices }: ChatCompletion): Answer {
  const answer = openAnswer(model)
  const [choice] = choices
  if (!choice) return answer
  const { content, refusal, tool_calls: calls } = choice.message
  if (content) addText(answer, 'text', content, choice.logprobs)
  if (refusal) addText(answer, 'refusal', refusal)
  for (const [index, call] of calls?.entries() ?? []) {
    if ('function' in call && call.function) answer.calls.set(index, call)
  }
  answer.finishReason = choice.finish_reason
  return answer
}

/** Text that a chunk has added to a part, which may be new. */
export interface PartDelta {
  part: AnswerPart
  text: string
  logprobs: TokenLogprob[]
}

/** Adds a chunk to the answer. Returns the text that it has added; calls are streamed when they are whole. */
export function addChunk(answer: Answer, { model, choices }: ChatChunk): PartDelta[] {
  const deltas: PartDelta[] = []
  for (const { index, delta, finish_reason, logprobs } of choices) {
    if (index !== 0) continue
    answer.model = model
    answer.finishReason = finish_reason ?? answer.finishReason
    if (delta?.content) deltas.push(addText(answer, 'text', delta.content, logprobs))
    if (delta?.refusal) deltas.push(addText(answer, 'refusal', delta.refusal))
    if (delta?.tool_calls) for (const fragment of delta.tool_calls) addFragment(answer.calls, fragment)
  }
  return deltas
}

function addText(
  { parts }: Answer,
  kind: AnswerPart['kind'],
  text: string,
  reported?: Logprobs | null,
): PartDelta {
  const logprobs = Array.isArray(reported?.content) ? reported.content.filter(isRecord) : []
  let part = parts.at(-1)
  if (part?.kind !== kind) {
    part = { kind, text: '', logprobs: [] }
    parts.push(part)
  }
  part.text = appendPiece(part.text, text)
  for (const logprob of logprobs) part.logprobs.push(logprob)
  return { part, text, logprobs }
}

/** Fragments of several calls may alternate; id and name come with the first fragment of each. */
function addFragment(calls: Answer['calls'], { index, id, function: fragment }: ToolCallFragment): void {
  if (!fragment) return
  const call = calls.get(index) ?? { id: '', function: { name: '', arguments: '' } }
  calls.set(index, call)
  call.id ||= id ?? ''
  call.function.name ||= fragment.name ?? ''
  call.function.arguments = appendPiece(call.function.arguments, fragment.arguments ?? '')
}
