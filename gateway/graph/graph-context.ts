import type { Call } from '../../subgraphs/runtime/call.ts'

/** What the gateway puts into the context of every operation. */
export interface GraphContext extends Record<string, unknown> {
  call: Call
}

/** The call that an operation belongs to. */
export function callOf(context: unknown): Call {
  if (isGraphContext(context)) return context.call
  throw new Error('An operation without its call')
}

function isGraphContext(context: unknown): context is GraphContext {
  return typeof context === 'object' && context !== null && 'call' in context
}
