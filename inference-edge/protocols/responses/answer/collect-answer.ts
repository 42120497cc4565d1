import type { ChatChunk, ChatCompletion, ToolCall, ToolCallFragment } from '../../../../schema/wire/chat.ts'

/** What the assistant says: a run of text, or of refusal. */
export interface Said {
  kind: 'text' | 'refusal'
  text: string
}

/** An answer of a vendor as far as it is known. */
export interface Answer {
  /** The model that answers. */
  model: string
  /** In the order in which they began. */
  said: Said[]
  /** By their index. */
  calls: ToolCall[]
  finishReason: string | null
}

export function openAnswer(model: string): Answer {
  return { model, said: [], calls: [], finishReason: null }
}

/** A whole answer; of several choices the first. */
export function readAnswer({ model, choices }: ChatCompletion): Answer {
  const answer = openAnswer(model)
  const [choice] = choices
  if (!choice) return answer
  const { content, refusal, tool_calls: calls } = choice.message
  say(answer, 'text', content)
  say(answer, 'refusal', refusal)
  return { ...answer, calls: calls ?? [], finishReason: choice.finish_reason }
}

/** One run of the answer that went on, and what was added to it. */
export interface Growth {
  said: Said
  added: string
}

/** Adds a chunk to the answer. Answers what can be shown at once: calls are shown when they are whole. */
export function addChunk(answer: Answer, { model, choices }: ChatChunk): Growth[] {
  const choice = choices.find(({ index }) => index === 0)
  if (!choice) return []
  const { delta } = choice
  answer.model = model
  answer.finishReason = choice.finish_reason ?? answer.finishReason
  for (const fragment of delta?.tool_calls ?? []) addFragment(answer.calls, fragment)
  return [say(answer, 'text', delta?.content), say(answer, 'refusal', delta?.refusal)].flatMap(
    growth => growth ?? [],
  )
}

function say({ said }: Answer, kind: Said['kind'], added: string | null | undefined): Growth | undefined {
  if (!added) return undefined
  let run = said.at(-1)
  if (run?.kind !== kind) {
    run = { kind, text: '' }
    said.push(run)
  }
  run.text += added
  return { said: run, added }
}

/** Fragments of several calls may come by turns; id and name come with the first of each. */
function addFragment(calls: ToolCall[], { index, id, function: part, ...others }: ToolCallFragment): void {
  calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } }
  const call = calls[index]
  Object.assign(call, others)
  call.id ||= id ?? ''
  call.function.name ||= part?.name ?? ''
  call.function.arguments += part?.arguments ?? ''
}
