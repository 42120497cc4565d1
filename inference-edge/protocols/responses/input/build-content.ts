import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ContentPart } from '../../../../schema/wire/chat.ts'
import {
  AudioContent,
  EncryptedContent,
  FileContent,
  ImageContent,
  RefusalContent,
  TextContent,
  type Typed,
} from '../../../../schema/wire/responses/request.ts'

const checkText = openCheck(TextContent)
const checkRefusal = openCheck(RefusalContent)
const checkEncrypted = openCheck(EncryptedContent)
const checkImage = openCheck(ImageContent)
const checkFile = openCheck(FileContent)
const checkAudio = openCheck(AudioContent)

/** Content of a message or of a tool's output: a single text as a string, else parts. `at` is where it stands. */
export function buildContent(content: string | Typed[], at: string): string | ContentPart[] {
  if (typeof content === 'string') return content
  const parts = content.map((part, index) => buildPart(part, `${at}[${index}]`))
  const [only] = parts
  if (parts.length > 1 || !only) return only ? parts : ''
  return 'text' in only && typeof only.text === 'string' ? only.text : parts
}

function buildPart(part: Typed, at: string): ContentPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: checkText(part, at).text }
    case 'encrypted_content':
      return { type: 'text', text: checkEncrypted(part, at).encrypted_content }
    case 'refusal':
      return proxy({ type: 'refusal', refusal: checkRefusal(part, at).refusal })
    case 'input_image':
      return buildImage(checkImage(part, at), at)
    case 'input_file':
      return buildFile(part, at)
    case 'input_audio':
      return proxy({ type: 'input_audio', input_audio: checkAudio(part, at).input_audio })
  }
  const param = `${at}.type`
  throw new Problem('invalid_request', {
    param,
    message: `${param} must be one of input_text, output_text, refusal, input_image, input_file, input_audio.`,
  })
}

/** A part that is only for vendors who know it. */
function proxy<Part extends { type: string }>(part: Part): ContentPart {
  return part
}

function buildFile(part: Typed, at: string): ContentPart {
  const { file_data, file_url, file_id, filename } = checkFile(part, at)
  if (!file_data && !file_url && !file_id) {
    throw refuseWithout(`${at}.file_data`, 'An input_file has file_data (a data: URI), file_url or file_id.')
  }
  const where = {
    ...(file_data && { file_data }),
    ...(file_url && { file_url }),
    ...(file_id && { file_id }),
  }
  return proxy({ type: 'file', file: { ...where, ...(filename && { filename }) } })
}

function buildImage({ image_url: image, detail }: ImageContent, at: string): ContentPart {
  if (!image) {
    throw refuseWithout(
      `${at}.image_url`,
      'An input_image has image_url: an https:// address or a data: URI. No files are stored here.',
    )
  }
  const url = typeof image === 'string' ? image : image.url
  return { type: 'image_url', image_url: { url, ...(detail && { detail }) } }
}

function refuseWithout(param: string, message: string): Problem {
  return new Problem('missing_parameter', { param, message })
}
