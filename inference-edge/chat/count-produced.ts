import { isRecord } from '../../platform/is-record.ts'
import type { AssistantMessage, ChatChunk, ChatCompletion, ChunkDelta } from '../../schema/wire/chat.ts'

/** Whether an answer, or a chunk of one, ends at its limit or in a filter: then there was one, whatever it shows. */
export function endsMeaningfully({ choices }: ChatCompletion | ChatChunk): boolean {
  for (const { finish_reason: reason } of choices) {
    if (reason === 'length' || reason === 'content_filter') return true
  }
  return false
}

/**
 * Characters of an answer, or of a chunk of one, that its client sees: text, refusal, thoughts where the vendor shows
 * them, names and arguments of calls, what is said in sound.
 */
export function countProduced({ choices }: ChatCompletion | ChatChunk): number {
  let count = 0
  for (const choice of choices) {
    const said = 'message' in choice ? choice.message : choice.delta
    if (isRecord(said)) count += countSaid(said)
  }
  return count
}

function countSaid(said: AssistantMessage | ChunkDelta): number {
  let count = lengthOf(said.content) + lengthOf(said.refusal)
  // Vendors who show thoughts have two names for them.
  count += lengthOf(said.reasoning_content) + lengthOf(said.reasoning)
  for (const call of said.tool_calls ?? []) count += countToolCall(call)
  return count + countCall(said.function_call) + countSound(said.audio)
}

/** Of a function, or of a tool of the client's own kind. */
function countToolCall(call: Record<string, unknown>): number {
  return countCall(call.function) + countCall(call.custom)
}

function countCall(call: unknown): number {
  if (!isRecord(call)) return 0
  return lengthOf(call.name) + lengthOf(call.arguments) + lengthOf(call.input)
}

/** The words of a sound are its transcript. Its bytes say that there is one, not how long it is. */
function countSound(audio: unknown): number {
  if (!isRecord(audio)) return 0
  return lengthOf(audio.transcript) + (audio.data ? 1 : 0)
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}
