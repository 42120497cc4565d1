import { isRecord } from '../../platform/checks.ts'
import type { AssistantMessage, ChatChunk, ChatCompletion, ChunkDelta } from '../../schema/wire/chat.ts'

/** Receives text. */
export interface TextSink {
  add(text: string): void
}

/** Whether an answer, or a chunk of one, ends at its limit or in a filter. It then counts as an answer even if it is empty. */
export function endsMeaningfully({ choices }: ChatCompletion | ChatChunk): boolean {
  for (const { finish_reason: reason } of choices) {
    if (reason === 'length' || reason === 'content_filter') return true
  }
  return false
}

/**
 * Adds the visible text of an answer, or of a chunk of one, to `transcript`: text, refusal, names and arguments of
 * calls, and the transcript of audio. Adds visible thoughts to `thoughts`.
 */
export function readProduced(
  { choices }: ChatCompletion | ChatChunk,
  transcript: TextSink,
  thoughts: TextSink,
): void {
  for (const choice of choices) {
    const message = 'message' in choice ? choice.message : choice.delta
    if (!isRecord(message)) continue
    readMessage(message, transcript, thoughts)
    // If a filter ended the choice, the refusal explains the filter, and the model did not generate it.
    if (choice.finish_reason !== 'content_filter') addText(message.refusal, transcript)
  }
}

function readMessage(message: AssistantMessage | ChunkDelta, transcript: TextSink, thoughts: TextSink): void {
  addText(message.content, transcript)
  readThoughts(message, thoughts)
  for (const call of message.tool_calls ?? []) readToolCall(call, transcript)
  readCall(message.function_call, transcript)
  readAudio(message.audio, transcript)
}

/** Reads visible thoughts. Vendors use three field names for them, and some send the same thought in several fields. */
function readThoughts(message: AssistantMessage | ChunkDelta, thoughts: TextSink): void {
  const { reasoning_content, reasoning, reasoning_details: details } = message
  const thought = isSaying(reasoning_content) ? reasoning_content : reasoning
  if (isSaying(thought)) thoughts.add(thought)
  else if (Array.isArray(details)) {
    for (const detail of details) if (isRecord(detail)) addText(detail.text ?? detail.summary, thoughts)
  }
}

/** Reads a call of a function or of a custom tool. */
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

/**
 * Reads the transcript of audio. The bytes of the audio count as one character: they show that the answer is not empty.
 */
function readAudio(audio: unknown, transcript: TextSink): void {
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
