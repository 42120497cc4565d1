import type { Json } from '../../json.ts'
import type { PromptMessage } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import {
  address,
  asFields,
  type Fields,
  readChoice,
  readList,
  readText,
  refuseUnknownNames,
} from './read-fields.ts'
import { refuseChoice, refuseMissing, refuseType } from './refuse-field.ts'

const partTypes = ['text', 'image_url', 'input_audio', 'refusal', 'file'] as const
export type PartType = (typeof partTypes)[number]
type Content = Pick<PromptMessage, 'text' | 'media'>

/** The content of a message: a string, or parts of the types that its role may have. */
export function parseContent(
  message: Fields,
  { types, isOptional }: { types: readonly PartType[]; isOptional: boolean },
): Content {
  const { content } = message.values
  if (typeof content === 'string') return { text: content, media: [] }
  if (content === undefined || content === null) {
    if (isOptional) return { text: '', media: [] }
    if (content === undefined) throw refuseMissing(address(message, 'content'))
    const param = address(message, 'content').replace('[', '.[')
    throw refuse(400, "Invalid value for 'content': expected a string, got null.", { param })
  }
  if (!Array.isArray(content)) {
    throw refuseType(address(message, 'content'), 'one of a string or array of objects', content)
  }
  const parts = (readList(message, 'content') ?? []).map((part, index) =>
    parsePart(part, { at: `${message.at}.content[${index}]`, types }),
  )
  return {
    text: parts.flatMap(part => part.text ?? []).join('\n'),
    media: parts.flatMap(part => part.medium ?? []),
  }
}

const namesOfParts: ReadonlySet<string> = new Set([...partTypes, 'type', 'prompt_cache_breakpoint'])

function parsePart(
  value: Json,
  { at, types }: { at: string; types: readonly PartType[] },
): { text?: string; medium?: string } {
  const part = asFields(value, at)
  refuseUnknownNames(part, namesOfParts)
  const type = readChoice(part, 'type', partTypes)
  if (type === undefined) throw refuseMissing(`${at}.type`)
  if (!types.includes(type)) throw refuseChoice(`${at}.type`, type, types)
  switch (type) {
    case 'text':
    case 'refusal':
      return { text: readText(part, type) }
    case 'image_url':
      return { medium: readImage(asFields(part.values.image_url, `${at}.image_url`)) }
    case 'input_audio': {
      const audio = asFields(part.values.input_audio, `${at}.input_audio`)
      if (readChoice(audio, 'format', ['wav', 'mp3']) === undefined) throw refuseMissing(`${audio.at}.format`)
      return { medium: readText(audio, 'data') }
    }
    case 'file':
      return { medium: JSON.stringify(asFields(part.values.file, `${at}.file`).values) }
  }
}

const acceptedImages = /^(https?:\/\/|data:image\/(png|jpeg|jpg|gif|webp);base64,)/

function readImage(image: Fields): string {
  const url = readText(image, 'url')
  readChoice(image, 'detail', ['auto', 'low', 'high', 'original'])
  if (acceptedImages.test(url)) return url
  const param = address(image, 'url')
  const message = `Invalid '${param}'. Expected a valid URL, but got a value with an invalid format.`
  throw refuse(400, message, { param, code: 'invalid_value' })
}
