import { isRecord } from '../../../platform/is-record.ts'
import type { ChatChunk, ChatCompletion } from '../../../schema/wire/chat.ts'

/**
 * Whether the choices of a whole answer have the shape that the system relies on where it reads them. All else is
 * passed on as it came.
 */
export function isCompletion(answer: Record<string, unknown>): answer is ChatCompletion {
  return Array.isArray(answer.choices) && answer.choices.every(isChoice)
}

/** The same of a chunk, in which a choice may say nothing. */
export function isChunk(chunk: Record<string, unknown>): chunk is ChatChunk {
  return Array.isArray(chunk.choices) && chunk.choices.every(isChunkChoice)
}

function isChoice(choice: unknown): boolean {
  return isRecord(choice) && isSaid(choice.message) && mayBeText(choice.finish_reason)
}

function isChunkChoice(choice: unknown): boolean {
  if (!isRecord(choice) || !mayBeText(choice.finish_reason)) return false
  return isNothing(choice.delta) || isSaid(choice.delta)
}

function isSaid(said: unknown): boolean {
  if (!isRecord(said) || !mayBeText(said.content) || !mayBeText(said.refusal)) return false
  return isNothing(said.tool_calls) || (Array.isArray(said.tool_calls) && said.tool_calls.every(isCall))
}

/** A call of a function, or a fragment of one. Calls of other tools are for the clients that offered them. */
function isCall(call: unknown): boolean {
  if (!isRecord(call)) return false
  const { function: called } = call
  return isNothing(called) || (isRecord(called) && mayBeText(called.name) && mayBeText(called.arguments))
}

function mayBeText(value: unknown): boolean {
  return typeof value === 'string' || isNothing(value)
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null
}
