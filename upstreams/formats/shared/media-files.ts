import type { CredentialHeader, MediaFile } from '../../media-adapter.ts'
import type { Target } from '../../targets.ts'
import { unexpectedShape } from './answer.ts'
import { decodeBase64, readDataUri } from './content.ts'

/** No address that a vendor gives is longer; a signed one has a few hundred characters. */
const maxAddressCharacters = 8_192

/**
 * The file at an address that a vendor gave. At the vendor's own origin it is fetched with the credential;
 * elsewhere without, and from public addresses only. A data URI is the file itself. Throws `broken` for
 * anything else.
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

/** No content type is longer. */
const maxTypeCharacters = 100

/**
 * A file that came in base64, or was decoded already, with the type that the vendor gave it. Throws `broken` where it is
 * none.
 */
export function inlineFile(data: unknown, type?: unknown): MediaFile {
  const decoded =
    data instanceof Uint8Array ? Buffer.from(data.buffer, data.byteOffset, data.length) : undefined
  const content = typeof data === 'string' ? decodeBase64(data) : decoded
  if (!content) throw unexpectedShape()
  const contentType = typeof type === 'string' && type.length <= maxTypeCharacters ? type : undefined
  return { content, contentType }
}

/** The header with the credential. */
export function keyHeader({ header, scheme }: CredentialHeader, apiKey: string): Record<string, string> {
  return { [header.toLowerCase()]: scheme ? `${scheme} ${apiKey}` : apiKey }
}

const bearer: CredentialHeader = { header: 'authorization', scheme: 'Bearer' }

/** Returns the form of the header with the credential of a target, in OpenAI's formats. */
export function keyOf({ key = bearer }: Pick<Target, 'key'>): CredentialHeader {
  return key
}
