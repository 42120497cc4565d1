import { ChatRequest } from '../../schema/wire/chat.ts'
import { openCheck } from './open-check.ts'

/**
 * A body as a chat request (contract: Chat completions). Throws `missing_parameter` or `invalid_request`, naming
 * the parameter as the client spells it: `messages[0].role`.
 */
export const parseChatRequest = openCheck(ChatRequest)
