import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'

/** The request without the fields that the model's flags say to drop; the same one where there are none. */
export function dropIgnored(
  sent: ChatRequest,
  { ignored_parameters: ignored }: Pick<ChatFlags, 'ignored_parameters'>,
): ChatRequest {
  if (!ignored.some(name => name in sent)) return sent
  return Object.assign({}, sent, ...ignored.map(name => ({ [name]: undefined })))
}
