import { isRecord } from '../../../../platform/is-record.ts'
import type {
  ChatChunk,
  ChatCompletion,
  Logprobs,
  TokenLogprob,
  ToolCall,
  ToolCallFragment,
} from '../../../../schema/wire/chat.ts'

/** What the assistant says: a run of text, or of refusal. */
export interface Said {
  kind: 'text' | 'refusal'
  text: string
  /** Of the tokens of a text, where they were asked for. */
  logprobs: TokenLogprob[]
}

/** An answer of a vendor as far as it is known. */
export interface Answer {
  /** The model that answers. */
  model: string
  /** In the order in which they began. */
  said: Said[]
  /** By their index, which says their order. */
  calls: Map<number, ToolCall>
  finishReason: string | null
}

export function openAnswer(model: string): Answer {
  return { model, said: [], calls: new Map(), finishReason: null }
}

/** A whole answer; of several choices the first. */
export function readAnswer({ model, choices }: ChatCompletion): Answer {
  const answer = openAnswer(model)
  const [choice] = choices
  if (!choice) return answer
  const { content, refusal, tool_calls: calls } = choice.message
  if (content) say(answer, 'text', content, choice.logprobs)
  if (refusal) say(answer, 'refusal', refusal)
  for (const [index, call] of calls?.entries() ?? []) {
    if ('function' in call && call.function) answer.calls.set(index, call)
  }
  answer.finishReason = choice.finish_reason
  return answer
}

/** One run of the answer that went on, and what was added to it. */
export interface Growth {
  said: Said
  added: string
  logprobs: TokenLogprob[]
}

/** Adds a chunk to the answer. Answers what can be shown at once: calls are shown when they are whole. */
export function addChunk(answer: Answer, { model, choices }: ChatChunk): Growth[] {
  const grown: Growth[] = []
  for (const { index, delta, finish_reason, logprobs } of choices) {
    if (index !== 0) continue
    answer.model = model
    answer.finishReason = finish_reason ?? answer.finishReason
    if (delta?.content) grown.push(say(answer, 'text', delta.content, logprobs))
    if (delta?.refusal) grown.push(say(answer, 'refusal', delta.refusal))
    if (delta?.tool_calls) for (const fragment of delta.tool_calls) addFragment(answer.calls, fragment)
  }
  return grown
}

function say({ said }: Answer, kind: Said['kind'], added: string, told?: Logprobs | null): Growth {
  const logprobs = Array.isArray(told?.content) ? told.content.filter(isRecord) : []
  let run = said.at(-1)
  if (run?.kind !== kind) {
    run = { kind, text: '', logprobs: [] }
    said.push(run)
  }
  run.text += added
  for (const logprob of logprobs) run.logprobs.push(logprob)
  return { said: run, added, logprobs }
}

/** Fragments of several calls may come by turns; id and name come with the first of each. */
function addFragment(calls: Answer['calls'], { index, id, function: part }: ToolCallFragment): void {
  if (!part) return
  const call = calls.get(index) ?? { id: '', function: { name: '', arguments: '' } }
  calls.set(index, call)
  call.id ||= id ?? ''
  call.function.name ||= part.name ?? ''
  call.function.arguments += part.arguments ?? ''
}
