import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ContentPart } from '../../../../schema/wire/chat.ts'
import * as wire from '../../../../schema/wire/messages.ts'

const checkText = openCheck(wire.TextBlock)
const checkImage = openCheck(wire.ImageBlock)
const checkDocument = openCheck(wire.DocumentBlock)
const checkSearchResult = openCheck(wire.SearchResultBlock)
const checkBase64 = openCheck(wire.Base64Source)
const checkUrl = openCheck(wire.UrlSource)
const checkTextSource = openCheck(wire.TextSource)
const checkContentSource = openCheck(wire.ContentSource)

/** A part of a chat message, and where in the request it stood. */
export interface PlacedPart {
  at: string
  part: ContentPart
}

/**
 * The parts of one block of a user's, a tool's or the system's message; none for what says nothing, and for traces of
 * the vendor's own tools, which no other vendor could read. Throws Problem, naming the block, for any other type.
 */
export function buildParts(block: wire.Block, at: string): PlacedPart[] {
  switch (block.type) {
    case 'text':
      return textParts(block, at)
    case 'image':
      return [{ at, part: buildImage(block, at) }]
    case 'document':
      return buildDocument(block, at)
    case 'search_result': {
      const { title, source, content } = checkSearchResult(block, at)
      const words = [`${title} (${source})`, ...content.map(({ text }) => text)]
      return [{ at, part: { type: 'text', text: words.join('\n\n') } }]
    }
    case 'tool_reference':
    case 'container_upload':
      return []
  }
  if (block.type.endsWith('_tool_result')) return []
  throw new Problem('invalid_request', {
    param: `${at}.type`,
    message: `${at}.type must be one of text, image, document, search_result, tool_result (in a user message).`,
  })
}

/** All parts of a content, a string included. `at` is where the content stands. */
export function buildAllParts(content: string | wire.Block[], at: string): PlacedPart[] {
  if (typeof content === 'string')
    return content === '' ? [] : [{ at, part: { type: 'text', text: content } }]
  return content.flatMap((block, index) => buildParts(block, `${at}[${index}]`))
}

/** A text alone, without a mark, is a string; everything else is parts. */
export function contentOf(parts: PlacedPart[]): string | ContentPart[] {
  const [only] = parts
  if (parts.length === 1 && only?.part.type === 'text' && !('cache_control' in only.part)) {
    const { part } = only
    if ('text' in part && typeof part.text === 'string') return part.text
  }
  return parts.map(({ part }) => part)
}

/** A mark of the prompt cache, to be laid over what it stands on; nothing where there is none. */
export function cacheControlOf(mark: wire.CacheControl | null | undefined): {
  cache_control?: wire.CacheControl
} {
  return mark ? { cache_control: { type: mark.type, ...(mark.ttl && { ttl: mark.ttl }) } } : {}
}

function textParts(block: wire.Block, at: string): PlacedPart[] {
  const { text, cache_control } = checkText(block, at)
  return text === '' ? [] : [{ at, part: { type: 'text', text, ...cacheControlOf(cache_control) } }]
}

function buildImage(block: wire.Block, at: string): ContentPart {
  const { source, cache_control } = checkImage(block, at)
  const url = source.type === 'url' ? checkUrl(source, `${at}.source`).url : dataUriOf(source, at, 'image')
  return { type: 'image_url', image_url: { url }, ...cacheControlOf(cache_control) }
}

/** A PDF is a file; a document of text is text. */
function buildDocument(block: wire.Block, at: string): PlacedPart[] {
  const { source, title, context, cache_control } = checkDocument(block, at)
  const sourceAt = `${at}.source`
  const marked = cacheControlOf(cache_control)
  const said = (text: string): PlacedPart => ({
    at,
    part: { type: 'text', text: [title, context, text].filter(Boolean).join('\n\n'), ...marked },
  })
  if (source.type === 'text') return [said(checkTextSource(source, sourceAt).data)]
  if (source.type === 'content') {
    const { content } = checkContentSource(source, sourceAt)
    if (typeof content === 'string') return [said(content)]
    return content.flatMap((inner, index) => buildParts(inner, `${sourceAt}.content[${index}]`))
  }
  const filename = title || 'document.pdf'
  const file =
    source.type === 'url'
      ? { filename, file_url: checkUrl(source, sourceAt).url }
      : { filename, file_data: dataUriOf(source, at, 'document') }
  const words = context ? [{ at, part: { type: 'text' as const, text: context } }] : []
  const part = { type: 'file', file, ...marked }
  return [...words, { at, part }]
}

function dataUriOf(source: wire.Block, at: string, kind: 'image' | 'document'): string {
  if (source.type !== 'base64') {
    const param = `${at}.source.type`
    const words = kind === 'image' ? 'base64, url' : 'base64, url, text, content'
    const message = `${param} must be one of ${words}: no files are stored here.`
    throw new Problem('invalid_request', { param, message })
  }
  const { media_type, data } = checkBase64(source, `${at}.source`)
  return `data:${media_type};base64,${data}`
}
