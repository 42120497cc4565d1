import type { IncomingMessage } from 'node:http'
import { Refusal } from '../server/refusal.ts'
import type { Fault } from './fault.ts'
import { parseFault } from './parse-fault.ts'

/** Where a call may carry the marker of a fault. */
export interface MarkerPlaces {
  readonly request: Pick<IncomingMessage, 'headers'>
  /** The upstream model name: `gpt-sim@slow;ms=200`. */
  readonly model: string
  /** The last user message: `hello [[fault: slow;ms=200]]`. */
  readonly text: string
}

const opening = '[[fault:'
const closing = ']]'

/**
 * The fault that a call asks for: by the header `x-sim-fault`, else in its last user message, else in its model's name.
 * A misspelt header or message is refused, so that a test cannot pass for want of its fault;
 * a model's name is not, since some vendors' names hold an `@` of their own.
 */
export function findFault({ request, model, text }: MarkerPlaces): Fault | undefined {
  const header = request.headers['x-sim-fault']
  if (typeof header === 'string') return parseStrictly(header)
  const start = text.lastIndexOf(opening)
  const end = start < 0 ? -1 : text.indexOf(closing, start)
  if (end >= 0) return parseStrictly(text.slice(start + opening.length, end))
  const at = model.lastIndexOf('@')
  return at < 0 ? undefined : parseFault(model.slice(at + 1))
}

/** A message without its markers, as a model should read it. */
export function dropMarkers(text: string): string {
  return text.includes(opening) ? text.replace(/\s*\[\[fault:.*?\]\]/gs, '') : text
}

function parseStrictly(marker: string): Fault {
  const fault = parseFault(marker)
  if (!fault) throw new Refusal({ status: 400, body: { error: `The simulator knows no fault "${marker}".` } })
  return fault
}
