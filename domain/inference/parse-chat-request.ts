import { ChatRequest } from '../../schema/wire/chat.ts'
import { boundCounts } from './bound-counts.ts'
import { openCheck } from './open-check.ts'

const check = openCheck(ChatRequest)

/**
 * A body as a chat request (docs/behaviour.md, Chat). Throws `missing_parameter` or `invalid_request`, naming
 * the parameter as the client spells it: `messages[0].role`; also where there is too much of something.
 */
export function parseChatRequest(body: unknown): ChatRequest {
  boundCounts(body)
  return check(body)
}
