import { openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { ContentPart } from '../../../schema/wire/chat.ts'
import type { CacheControl } from '../../../schema/wire/chat-content.ts'
import * as wire from '../../../schema/wire/messages.ts'

const checkText = openCheck(wire.TextBlock)
const checkImage = openCheck(wire.ImageBlock)
const checkDocument = openCheck(wire.DocumentBlock)
const checkSearchResult = openCheck(wire.SearchResultBlock)
const checkBase64 = openCheck(wire.Base64Source)
const checkUrl = openCheck(wire.UrlSource)
const checkTextSource = openCheck(wire.TextSource)
const checkContentSource = openCheck(wire.ContentSource)

/** A part of a chat message, and the path of the block in the request that it was translated from. */
export interface PartAt {
  path: string
  part: ContentPart
}

/** Translates the string or list of blocks at `path`. Throws the errors of `buildPartsOfBlock`. */
export function buildParts(content: string | wire.Block[], path: string): PartAt[] {
  if (typeof content === 'string')
    return content === '' ? [] : [{ path, part: { type: 'text', text: content } }]
  return content.flatMap((block, index) => buildPartsOfBlock(block, `${path}[${index}]`))
}

/**
 * Translates one block of a system or user message, or of a tool result. Drops empty texts, and blocks of tools that
 * ran at Anthropic, which no other vendor can read. Throws `missing_parameter` or `invalid_request`, which name the
 * block.
 */
export function buildPartsOfBlock(block: wire.Block, path: string): PartAt[] {
  switch (block.type) {
    case 'text': {
      const { text, cache_control } = checkText(block, path)
      return text === '' ? [] : [{ path, part: { type: 'text', text, ...cacheControlOf(cache_control) } }]
    }
    case 'image':
      return [{ path, part: buildImage(block, path) }]
    case 'document':
      return buildDocument(block, path)
    case 'search_result': {
      const { title, source, content } = checkSearchResult(block, path)
      const texts = [`${title} (${source})`, ...content.map(({ text }) => text)]
      return [{ path, part: { type: 'text', text: texts.join('\n\n') } }]
    }
    case 'tool_reference':
    case 'container_upload':
      return []
  }
  if (block.type.endsWith('_tool_result')) return []
  throw new Problem('invalid_request', {
    param: `${path}.type`,
    message: `${path}.type must be one of text, image, document, search_result, tool_result (in a user message).`,
  })
}

/** Converts a single text without `cache_control` to a string. Other content stays parts. */
export function contentOf(parts: PartAt[]): string | ContentPart[] {
  const [only] = parts
  if (parts.length === 1 && only?.part.type === 'text' && !('cache_control' in only.part)) {
    const { part } = only
    if ('text' in part && typeof part.text === 'string') return part.text
  }
  return parts.map(({ part }) => part)
}

/** Returns the field `cache_control`, to spread into a part, message, call or tool; empty if it is not set. */
export function cacheControlOf(cacheControl: CacheControl | null | undefined): {
  cache_control?: CacheControl
} {
  if (!cacheControl) return {}
  const { type, ttl } = cacheControl
  return { cache_control: { type, ...(ttl && { ttl }) } }
}

function buildImage(block: wire.Block, path: string): ContentPart {
  const { source, cache_control } = checkImage(block, path)
  const url =
    source.type === 'url' ? checkUrl(source, `${path}.source`).url : dataUriOf(source, path, 'image')
  return { type: 'image_url', image_url: { url }, ...cacheControlOf(cache_control) }
}

/** Translates a document. A PDF becomes a file; a text document becomes text, after its title and context. */
function buildDocument(block: wire.Block, path: string): PartAt[] {
  const { source, title, context, cache_control } = checkDocument(block, path)
  const sourcePath = `${path}.source`
  const cacheControl = cacheControlOf(cache_control)
  const textPart = (text: string): PartAt => ({
    path,
    part: { type: 'text', text: [title, context, text].filter(Boolean).join('\n\n'), ...cacheControl },
  })
  if (source.type === 'text') return [textPart(checkTextSource(source, sourcePath).data)]
  if (source.type === 'content') {
    const { content } = checkContentSource(source, sourcePath)
    if (typeof content === 'string') return [textPart(content)]
    return content.flatMap((inner, index) => buildPartsOfBlock(inner, `${sourcePath}.content[${index}]`))
  }
  const filename = title || 'document.pdf'
  const file =
    source.type === 'url'
      ? { filename, file_url: checkUrl(source, sourcePath).url }
      : { filename, file_data: dataUriOf(source, path, 'document') }
  const contextPart = context ? [{ path, part: { type: 'text' as const, text: context } }] : []
  const part = { type: 'file', file, ...cacheControl }
  return [...contextPart, { path, part }]
}

function dataUriOf(source: wire.Block, path: string, kind: 'image' | 'document'): string {
  if (source.type !== 'base64') {
    const param = `${path}.source.type`
    const types = kind === 'image' ? 'base64, url' : 'base64, url, text, content'
    throw invalidParam(param, `must be one of ${types}. Files cannot be referenced by ID`)
  }
  const { media_type, data } = checkBase64(source, `${path}.source`)
  return `data:${media_type};base64,${data}`
}
