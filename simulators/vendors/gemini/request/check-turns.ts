import { refuse } from '../refuse.ts'
import type { FunctionCall } from './parse-part.ts'
import type { Turn } from './parse-turns.ts'
import { refuseSense } from './read-fields.ts'

/** The order in which turns must come: the user first and last, and each call with its response at once. */
export function checkTurns(turns: readonly Turn[]): void {
  if (turns[0]?.role !== 'user')
    throw refuse(400, 'Please ensure that multiturn requests alternate between user and model.')
  if (turns.at(-1)?.role !== 'user')
    throw refuse(400, 'Please ensure that multiturn requests ends with a user role or a function response.')
  for (const [index, turn] of turns.entries()) {
    const before = turns[index - 1]
    checkParts(turn)
    checkCalls(turn, { before, next: turns[index + 1] })
    checkResponses(turn, before)
  }
}

/** A turn that answers the calls of the model. */
export function hasResponses({ parts }: Turn): boolean {
  return parts.some(part => part.response)
}

export function callsOf(turn: Turn | undefined): FunctionCall[] {
  return turn?.parts.flatMap(part => part.call ?? []) ?? []
}

function checkParts(turn: Turn): void {
  for (const { at, call, response } of turn.parts) {
    if (call && turn.role === 'user') throw refuseSense(`${at}.function_call`, 'is only for the model role.')
    if (response && turn.role === 'model')
      throw refuseSense(`${at}.function_response`, 'is only for the user role.')
  }
  if (hasResponses(turn) && turn.parts.some(part => !part.response)) {
    throw refuse(400, 'Please ensure that a function response turn holds function responses alone.')
  }
}

function checkCalls(
  turn: Turn,
  { before, next }: { before: Turn | undefined; next: Turn | undefined },
): void {
  const calls = callsOf(turn)
  if (calls.length === 0) return
  if (before?.role !== 'user') {
    throw refuse(
      400,
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
  }
  const responses = next?.parts.flatMap(part => part.response ?? []) ?? []
  if (responses.length !== calls.length) {
    throw refuse(
      400,
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  }
  for (const call of calls) {
    const index = responses.findIndex(({ name, id }) => name === call.name && id === call.id)
    if (index < 0)
      throw refuse(400, `Please ensure that the function call ${call.name} has its function response.`)
    responses.splice(index, 1)
  }
}

function checkResponses(turn: Turn, before: Turn | undefined): void {
  if (!hasResponses(turn) || callsOf(before).length > 0) return
  throw refuse(400, 'Please ensure that function response turn comes immediately after a function call turn.')
}
