import type { PromptMessage } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'

const orphan =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
const unanswered =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "

/** Refuses results of tools that nothing called, and calls whose results do not follow at once. */
export function checkToolResults(messages: readonly PromptMessage[]): void {
  let open = new Set<string>()
  let callsAt = 0
  for (const [index, message] of messages.entries()) {
    if (message.callId !== undefined) {
      if (!open.delete(message.callId)) throw refuse(400, orphan, { param: `messages.[${index}].role` })
      continue
    }
    refuseOpen(open, callsAt)
    open = new Set(message.calls.map(call => call.id))
    callsAt = index
  }
  refuseOpen(open, callsAt)
}

function refuseOpen(open: ReadonlySet<string>, callsAt: number): void {
  if (open.size === 0) return
  throw refuse(400, unanswered + [...open].join(', '), { param: `messages.[${callsAt}].role` })
}
