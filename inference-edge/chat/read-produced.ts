import { isRecord } from '../../platform/checks.ts'
import type { AssistantMessage, ChatChunk, ChatCompletion, ChunkDelta } from '../../schema/wire/chat.ts'

/** Takes in text. */
export interface TextSink {
  add(text: string): void
}

/** Whether an answer, or a chunk of one, ends at its limit or in a filter: then there was one, whatever it shows. */
export function endsMeaningfully({ choices }: ChatCompletion | ChatChunk): boolean {
  for (const { finish_reason: reason } of choices) {
    if (reason === 'length' || reason === 'content_filter') return true
  }
  return false
}

/**
 * Adds to `transcript` all that the client of an answer, or of a chunk of one, sees of it: text, refusal, names and arguments
 * of calls, what is said in sound; and to `thoughts` the thoughts, where the vendor shows them.
 */
export function readProduced(
  { choices }: ChatCompletion | ChatChunk,
  transcript: TextSink,
  thoughts: TextSink,
): void {
  for (const choice of choices) {
    const said = 'message' in choice ? choice.message : choice.delta
    if (!isRecord(said)) continue
    readSaid(said, transcript, thoughts)
    // What comes with the end of a filter explains it, and is nothing that the model said.
    if (choice.finish_reason !== 'content_filter') addText(said.refusal, transcript)
  }
}

function readSaid(said: AssistantMessage | ChunkDelta, transcript: TextSink, thoughts: TextSink): void {
  addText(said.content, transcript)
  readThoughts(said, thoughts)
  for (const call of said.tool_calls ?? []) readToolCall(call, transcript)
  readCall(said.function_call, transcript)
  readSound(said.audio, transcript)
}

/** Vendors who show thoughts have three names for them, and some say them under several. */
function readThoughts(said: AssistantMessage | ChunkDelta, thoughts: TextSink): void {
  const { reasoning_content, reasoning, reasoning_details: details } = said
  const thought = isSaying(reasoning_content) ? reasoning_content : reasoning
  if (isSaying(thought)) thoughts.add(thought)
  else if (Array.isArray(details)) {
    for (const detail of details) if (isRecord(detail)) addText(detail.text ?? detail.summary, thoughts)
  }
}

/** Of a function, or of a tool of the client's own kind. */
function readToolCall(call: Record<string, unknown>, transcript: TextSink): void {
  readCall(call.function, transcript)
  readCall(call.custom, transcript)
}

function readCall(call: unknown, transcript: TextSink): void {
  if (!isRecord(call)) return
  addText(call.name, transcript)
  addText(call.arguments, transcript)
  addText(call.input, transcript)
}

/** The words of a sound are its transcript. Its bytes say that there is one, not how long it is. */
function readSound(audio: unknown, transcript: TextSink): void {
  if (!isRecord(audio)) return
  addText(audio.transcript, transcript)
  if (audio.data) transcript.add(' ')
}

function addText(value: unknown, transcript: TextSink): void {
  if (isSaying(value)) transcript.add(value)
}

function isSaying(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
