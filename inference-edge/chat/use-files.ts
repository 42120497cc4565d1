import { useUploads } from '../../domain/media/use-uploads.ts'
import { isRecord } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import type { ChatRequest, ContentPart } from '../../schema/wire/chat.ts'
import type { Edge } from '../edge.ts'
import type { ChatRun } from './chat-run.ts'

/** The fields that can contain the URL of a file, by the type of the part. A part nests its fields under its type. */
const addressFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['image_url', ['url']],
  ['video_url', ['url']],
  ['file', ['file_url', 'file_data']],
])

/** A URL begins with a scheme and a colon. Base64 has no colon. */
const address = /^[^:]{0,64}:/

/**
 * Checks the files that a conversation gives as URLs: uploads must belong to the account. Throws the errors of
 * `useUploads`.
 */
export function useFiles(
  { media }: Edge,
  { admission }: ChatRun,
  params: Map<string, string>,
): Promise<void> {
  const { accountId, hasCredits } = admission.allowed.key
  return useUploads(media, { accountId, prolongs: hasCredits }, params)
}

/**
 * Returns the parameter of each file that a conversation gives as a URL. Throws `invalid_request` for audio that is given as
 * a URL.
 */
export function addressesIn({ messages }: ChatRequest): Map<string, string> {
  const params = new Map<string, string>()
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [position, part] of content.entries()) {
      const param = `messages[${index}].content[${position}].${part.type}`
      if (part.type === 'input_audio') requireInline(part, `${param}.data`)
      for (const [field, found] of addressesOf(part)) params.set(found, `${param}.${field}`)
    }
  }
  return params
}

function addressesOf(part: ContentPart): [field: string, address: string][] {
  const file: unknown = Reflect.get(part, part.type)
  const fields = addressFields.get(part.type)
  if (!fields || !isRecord(file)) return []
  return fields.flatMap((field): [string, string][] => {
    const text = file[field]
    return typeof text === 'string' && !/^data:/i.test(text) ? [[field, text]] : []
  })
}

/** Refuses audio that is given as a URL: some vendors would fetch the URL, which was not checked here. */
function requireInline(part: ContentPart, param: string): void {
  const audio: unknown = Reflect.get(part, 'input_audio')
  const data = isRecord(audio) ? audio.data : undefined
  if (typeof data !== 'string' || !address.test(data) || /^data:/i.test(data)) return
  throw new Problem('invalid_request', {
    param,
    message: `${param} must be audio in base64, not a URL.`,
  })
}
