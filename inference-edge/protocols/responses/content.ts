import { openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ContentPart } from '../../../schema/wire/chat.ts'
import {
  AudioContent,
  EncryptedContent,
  FileContent,
  ImageContent,
  RefusalContent,
  TextContent,
  type Typed,
} from '../../../schema/wire/responses/request.ts'

const checkText = openCheck(TextContent)
const checkRefusal = openCheck(RefusalContent)
const checkEncrypted = openCheck(EncryptedContent)
const checkImage = openCheck(ImageContent)
const checkFile = openCheck(FileContent)
const checkAudio = openCheck(AudioContent)

/**
 * Translates the content of a message or of a tool's output. A single text becomes a string; other content becomes
 * parts. `path` is the path of the content in the request. Throws `missing_parameter` or `invalid_request`, naming the
 * part.
 */
export function buildContent(content: string | Typed[], path: string): string | ContentPart[] {
  if (typeof content === 'string') return content
  const parts = content.map((part, index) => buildPart(part, `${path}[${index}]`))
  const [only] = parts
  if (parts.length > 1 || !only) return only ? parts : ''
  return 'text' in only && typeof only.text === 'string' ? only.text : parts
}

function buildPart(part: Typed, path: string): ContentPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: checkText(part, path).text }
    case 'encrypted_content':
      return { type: 'text', text: checkEncrypted(part, path).encrypted_content }
    case 'refusal': {
      const refusal = { type: 'refusal', refusal: checkRefusal(part, path).refusal }
      return refusal
    }
    case 'input_image':
      return buildImage(part, path)
    case 'input_file':
      return buildFile(part, path)
    case 'input_audio':
      return { type: 'input_audio', input_audio: checkAudio(part, path).input_audio }
  }
  const param = `${path}.type`
  throw new Problem('invalid_request', {
    param,
    message: `${param} must be one of input_text, output_text, refusal, input_image, input_file, input_audio.`,
  })
}

function buildImage(part: Typed, path: string): ContentPart {
  const { image_url: image, detail } = checkImage(part, path)
  if (!image) {
    throw refuseMissing(
      `${path}.image_url`,
      'An input_image must have image_url: an https:// URL or a data: URI. Files cannot be referenced by ID.',
    )
  }
  const url = typeof image === 'string' ? image : image.url
  return { type: 'image_url', image_url: { url, ...(detail && { detail }) } }
}

function buildFile(part: Typed, path: string): ContentPart {
  const { file_data, file_url, file_id, filename } = checkFile(part, path)
  if (!file_data && !file_url && !file_id) {
    throw refuseMissing(
      `${path}.file_data`,
      'An input_file must have file_data (a data: URI), file_url or file_id.',
    )
  }
  const file = {
    ...(file_data && { file_data }),
    ...(file_url && { file_url }),
    ...(file_id && { file_id }),
    ...(filename && { filename }),
  }
  return { type: 'file', file }
}

function refuseMissing(param: string, message: string): Problem {
  return new Problem('missing_parameter', { param, message })
}
