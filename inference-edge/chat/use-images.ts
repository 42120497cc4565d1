import { useUploads } from '../../domain/media/use-uploads.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { imageUrlOf } from '../../upstreams/formats/shared/content.ts'
import type { Edge } from '../edge.ts'
import type { ChatRun } from './chat-run.ts'

/**
 * Checks the uploads among the images of a conversation: they must be of its account. Throws what `useUploads` throws.
 */
export function useImages({ media }: Edge, { admission, conversation }: ChatRun): Promise<void> | undefined {
  const params = addressesIn(conversation.request)
  if (params.size === 0) return undefined
  const { accountId, hasCredits } = admission.allowed.key
  return useUploads(media, { accountId, prolongs: hasCredits }, params)
}

/** The parameter of each image that a conversation gives as an address. */
function addressesIn({ messages }: ChatRequest): Map<string, string> {
  const params = new Map<string, string>()
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [position, part] of content.entries()) {
      const url = imageUrlOf(part)
      if (url && /^https?:/i.test(url))
        params.set(url, `messages[${index}].content[${position}].image_url.url`)
    }
  }
  return params
}
