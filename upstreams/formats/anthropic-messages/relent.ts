import type { ChatCall } from '../../chat-adapter.ts'
import type { UpstreamFailure } from '../../upstream-failure.ts'

/**
 * The call without thoughts, where the vendor refuses a signature among them: they may come from another vendor, or be
 * older than its keys. The conversation goes on without them.
 */
export function relent({ details }: UpstreamFailure, call: ChatCall): ChatCall | undefined {
  const { request } = call
  if (!/\bsignature\b/i.test(details.message ?? '')) return undefined
  if (!request.messages.some(({ thinking_blocks: thoughts }) => thoughts?.length)) return undefined
  const messages = request.messages.map(message => ({ ...message, thinking_blocks: undefined }))
  return { ...call, request: { ...request, messages } }
}
