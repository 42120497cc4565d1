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

/** A part of the assistant's message: consecutive text, or a consecutive refusal. */
export interface AnswerPart {
  kind: 'text' | 'refusal'
  text: string
  /** The log probabilities of the text's tokens, if the client requested them. */
  logprobs: TokenLogprob[]
}

/** The model's answer, as far as it has arrived. */
export interface ModelAnswer {
  /** The model that answers. */
  model: string
  parts: AnswerPart[]
  /** The calls by their index, which is their order. */
  calls: Map<number, ToolCall>
  finishReason: string | null
}

export function openAnswer(model: string): ModelAnswer {
  return { model, parts: [], calls: new Map(), finishReason: null }
}

/** Reads the first choice of an answer that is not streamed. */
export function readAnswer({ model, choices }: ChatCompletion): ModelAnswer {
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

/** The text that a chunk added to a part, which can be new. */
export interface PartDelta {
  part: AnswerPart
  text: string
  logprobs: TokenLogprob[]
}

/** Adds a chunk to the answer. Returns the added text. Calls are streamed when they are complete. */
export function addChunk(answer: ModelAnswer, { model, choices }: ChatChunk): PartDelta[] {
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
  { parts }: ModelAnswer,
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

/**
 * Adds a fragment of a call. Fragments of several calls can alternate. The first fragment of each call has ID and name.
 */
function addFragment(calls: ModelAnswer['calls'], { index, id, function: fragment }: ToolCallFragment): void {
  if (!fragment) return
  const call = calls.get(index) ?? { id: '', function: { name: '', arguments: '' } }
  calls.set(index, call)
  call.id ||= id ?? ''
  call.function.name ||= fragment.name ?? ''
  call.function.arguments = appendPiece(call.function.arguments, fragment.arguments ?? '')
}
