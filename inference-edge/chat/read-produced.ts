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
 * Gives to `add` all that the client of an answer, or of a chunk of one, sees of it: text, refusal, names and arguments
 * of calls, what is said in sound; and to `think` the thoughts, where the vendor shows them.
 */
export function readProduced(
  { choices }: ChatCompletion | ChatChunk,
  add: (text: string) => void,
  think: (text: string) => void,
): void {
  for (const choice of choices) {
    const said = 'message' in choice ? choice.message : choice.delta
    if (!isRecord(said)) continue
    readSaid(said, add, think)
    // What comes with the end of a filter explains it, and is nothing that the model said.
    if (choice.finish_reason !== 'content_filter') addText(said.refusal, add)
  }
}

function readSaid(
  said: AssistantMessage | ChunkDelta,
  add: (text: string) => void,
  think: (text: string) => void,
): void {
  addText(said.content, add)
  readThoughts(said, think)
  for (const call of said.tool_calls ?? []) readToolCall(call, add)
  readCall(said.function_call, add)
  readSound(said.audio, add)
}

/** Vendors who show thoughts have three names for them, and some say them under several. */
function readThoughts(said: AssistantMessage | ChunkDelta, think: (text: string) => void): void {
  const { reasoning_content, reasoning, reasoning_details: details } = said
  const thought = isSaying(reasoning_content) ? reasoning_content : reasoning
  if (isSaying(thought)) think(thought)
  else if (Array.isArray(details)) {
    for (const detail of details) if (isRecord(detail)) addText(detail.text ?? detail.summary, think)
  }
}

/** Of a function, or of a tool of the client's own kind. */
function readToolCall(call: Record<string, unknown>, add: (text: string) => void): void {
  readCall(call.function, add)
  readCall(call.custom, add)
}

function readCall(call: unknown, add: (text: string) => void): void {
  if (!isRecord(call)) return
  addText(call.name, add)
  addText(call.arguments, add)
  addText(call.input, add)
}

/** The words of a sound are its transcript. Its bytes say that there is one, not how long it is. */
function readSound(audio: unknown, add: (text: string) => void): void {
  if (!isRecord(audio)) return
  addText(audio.transcript, add)
  if (audio.data) add(' ')
}

function addText(value: unknown, add: (text: string) => void): void {
  if (isSaying(value)) add(value)
}

function isSaying(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
