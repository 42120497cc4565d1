import { useUploads } from '../../domain/media/use-uploads.ts'
import { isRecord } from '../../platform/checks.ts'
import type { ChatRequest, ContentPart } from '../../schema/wire/chat.ts'
import type { Edge } from '../edge.ts'
import type { ChatRun } from './chat-run.ts'

/** The fields that may have the address of a file, by the type of the part. The part nests them under its type. */
const addressFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['image_url', ['url']],
  ['video_url', ['url']],
  ['file', ['file_url', 'file_data']],
])

/** Checks the uploads in a conversation: they must be of its account. Throws what `useUploads` throws. */
export function useFiles({ media }: Edge, { admission, conversation }: ChatRun): Promise<void> | undefined {
  const params = addressesIn(conversation.request)
  if (params.size === 0) return undefined
  const { accountId, hasCredits } = admission.allowed.key
  return useUploads(media, { accountId, prolongs: hasCredits }, params)
}

/** Returns the parameter of each file that a conversation gives as an address. */
function addressesIn({ messages }: ChatRequest): Map<string, string> {
  const params = new Map<string, string>()
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [position, part] of content.entries())
      for (const [field, address] of addressesOf(part))
        params.set(address, `messages[${index}].content[${position}].${part.type}.${field}`)
  }
  return params
}

function addressesOf(part: ContentPart): [field: string, address: string][] {
  const file: unknown = Reflect.get(part, part.type)
  const fields = addressFields.get(part.type)
  if (!fields || !isRecord(file)) return []
  return fields.flatMap((field): [string, string][] => {
    const address = file[field]
    return typeof address === 'string' && !/^data:/i.test(address) ? [[field, address]] : []
  })
}
