import type { CredentialHeader, MediaFile } from '../../media-adapter.ts'
import type { Target } from '../../targets.ts'
import { unexpectedShape } from './answer.ts'
import { decodeBase64, readDataUri } from './content.ts'

/** Maximum length of a vendor's URL, in characters. Signed URLs have a few hundred. */
const maxAddressCharacters = 8_192

/**
 * Returns the file at a URL from a vendor. At the vendor's own origin, it is downloaded with the credential. At other
 * origins, it is downloaded without the credential, and only from public addresses. A data URI contains the file
 * itself. Throws `broken` for anything else.
 */
export function fileAt(
  address: unknown,
  { baseUrl }: Target,
  { key, contentType }: { key: CredentialHeader; contentType?: string | undefined },
): MediaFile {
  if (typeof address !== 'string') throw unexpectedShape()
  const inline = readDataUri(address)
  if (inline) return inlineFile(inline.data, inline.type)
  if (address.length > maxAddressCharacters || !URL.canParse(address, baseUrl)) throw unexpectedShape()
  const url = new URL(address, baseUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw unexpectedShape()
  if (url.origin !== new URL(baseUrl).origin) return { url: url.href, contentType }
  return { path: `${url.pathname}${url.search}`, key, contentType }
}

/** Maximum length of a content type, in characters. */
const maxTypeCharacters = 100

/**
 * Returns a file from base64, or from bytes that are already decoded, with the vendor's content type. Throws `broken`
 * if it is not base64.
 */
export function inlineFile(data: unknown, type?: unknown): MediaFile {
  const decoded =
    data instanceof Uint8Array ? Buffer.from(data.buffer, data.byteOffset, data.length) : undefined
  const content = typeof data === 'string' ? decodeBase64(data) : decoded
  if (!content) throw unexpectedShape()
  const contentType = typeof type === 'string' && type.length <= maxTypeCharacters ? type : undefined
  return { content, contentType }
}

/** Returns the header with the credential. */
export function keyHeader({ header, scheme }: CredentialHeader, apiKey: string): Record<string, string> {
  return { [header.toLowerCase()]: scheme ? `${scheme} ${apiKey}` : apiKey }
}

const bearer: CredentialHeader = { header: 'authorization', scheme: 'Bearer' }

/** Returns the form of the header with the credential of a target, in OpenAI's formats. */
export function keyOf({ key = bearer }: Pick<Target, 'key'>): CredentialHeader {
  return key
}
