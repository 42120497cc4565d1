import { isRecord } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'

/** Fields that other APIs have for turns that the server stores, whatever their protocol. */
const storedTurns = [
  'conversation',
  'conversation_id',
  'previous_interaction_id',
  'previous_message_id',
  'previous_response_id',
  'thread',
  'thread_id',
]

/**
 * Refuses a body that refers to stored turns. This service stores no turns: without them the model would
 * answer another conversation. `null` counts as absent. `more` names fields that refer to stored turns in one
 * protocol alone. Throws `previous_response_not_found`, `thread_unsupported_request` or
 * `unsupported_parameter`, naming the field.
 */
export function refuseStoredTurns(body: unknown, more: readonly string[] = []): void {
  if (!isRecord(body)) return
  for (const param of storedTurns) if (body[param] != null) throw refuse(param)
  for (const param of more) if (body[param] != null) throw refuse(param)
}

function refuse(param: string): Problem {
  if (param === 'previous_response_id') return new Problem('previous_response_not_found', { param })
  if (param === 'thread') return new Problem('thread_unsupported_request', { param })
  const message = `${param} is not supported: nothing is stored here. Send the full input with every turn.`
  return new Problem('unsupported_parameter', { param, message })
}
