import { isRecord } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'

/**
 * Fields of any protocol that refer to turns or prompts stored on the server, or that contain turns outside of the
 * messages. `session_id` and `chat_id` are not listed: clients send them as labels beside the full input.
 */
const storedTurns = [
  'assistant_id',
  'cached_content',
  'chat_history',
  'conversation',
  'conversation_id',
  'history',
  'parent_message_id',
  'previous_interaction_id',
  'previous_message_id',
  'previous_response_id',
  'prompt',
  'prompt_id',
  'thread',
  'thread_id',
]

/**
 * Refuses a body that refers to stored turns. This service stores no turns, and without them the model would answer
 * another conversation. `null` and `false` count as absent. Throws `previous_response_not_found`,
 * `thread_unsupported_request` or `unsupported_parameter`, which name the field.
 */
export function refuseStoredTurns(body: unknown): void {
  if (!isRecord(body)) return
  for (const param of storedTurns) if (body[param] != null && body[param] !== false) throw refuse(param)
}

function refuse(param: string): Problem {
  if (param === 'previous_response_id') return new Problem('previous_response_not_found', { param })
  if (param === 'thread') return new Problem('thread_unsupported_request', { param })
  const message = `${param} is not supported, because turns are not stored. Send the full input with every turn.`
  return new Problem('unsupported_parameter', { param, message })
}
