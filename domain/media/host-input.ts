import { isText } from '../../platform/checks.ts'
import { objectionToUrl } from '../../platform/http/public-url.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import { MediaRefused } from './bound-source.ts'
import { type Media, mediaUrlOf } from './media.ts'
import { dayOf } from './media-name.ts'
import { ownNameOf } from './own-name.ts'
import { storeMedia } from './store-media.ts'
import { useUploads } from './use-uploads.ts'

/** An image or video that a request refers to by its URL. */
export interface Input {
  accountId: string
  /** `https://…`, or `data:image/png;base64,…`. */
  address: string
  /** The parameter of the input in the client's notation: `image_urls[0]`. */
  param: string
  accepts: 'image' | 'video'
  /** Whether using an upload extends its lifetime. */
  prolongs?: boolean | undefined
  taskId?: string | undefined
  requestId?: string | undefined
}

const maxAddressLength = 8_192

/**
 * Returns the URL of an input that a vendor can fetch: stores the content of a `data:` URL, checks any other URL, and
 * extends the lifetime of a used upload. If media storage is disabled, a `data:` URL is checked and kept. Throws
 * `invalid_request` and `body_too_large`, which name `param`, `allowance_exceeded` and `unavailable`.
 */
export async function hostInput(media: Media, input: Input): Promise<string> {
  const { address, param } = input
  if (/^data:/i.test(address)) return hostData(media, input)
  if (address.length > maxAddressLength)
    throw invalidParam(param, `must have at most ${maxAddressLength} characters`)
  if (!URL.canParse(address) || !isText(address))
    throw invalidParam(param, 'must be a public https:// address, or data:')
  const url = new URL(address)
  const objection = objectionToUrl(url, media.context.config)
  if (objection) throw invalidParam(param, `must ${objection}`)
  const { accountId, prolongs = false } = input
  await useUploads(media, { accountId, prolongs }, new Map([[url.href, param]]))
  const own = ownNameOf(media.context.config, url.href)
  return own !== undefined && dayOf(own) !== undefined ? mediaUrlOf(media, own) : url.href
}

const dataShape = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[a-z0-9=._+-]+)*?);base64,/i

/** Decodes a `data:` URL. Throws `invalid_request` and `body_too_large`, which name `param`. */
export function decodeData(
  address: string,
  { param, maxBytes }: { param: string; maxBytes: number },
): { bytes: Buffer; contentType: string | undefined } {
  const found = dataShape.exec(address.slice(0, 300))
  if (!found) throw invalidParam(param, 'must be data:TYPE;base64,CONTENT')
  const start = found[0].length
  // Four characters are three bytes. A text that is too long is not decoded.
  if (((address.length - start) * 3) / 4 - 2 > maxBytes) throw tooLarge(param, maxBytes)
  const bytes = Buffer.from(address.slice(start), 'base64')
  if (bytes.length === 0) throw invalidParam(param, 'must have content')
  return { bytes, contentType: found[1] }
}

export function tooLarge(param: string, maxBytes: number): Problem {
  return new Problem('body_too_large', {
    param,
    message: `${param} must have at most ${maxBytes} bytes${param === 'file' ? '' : ': send larger content to /v1/uploads'}.`,
  })
}

async function hostData(media: Media, input: Input): Promise<string> {
  const { param, accepts, accountId, taskId, requestId } = input
  const maxBytes = media.context.config.uploadLimitBytes
  const { bytes, contentType } = decodeData(input.address, { param, maxBytes })
  if (!media.storage) return input.address
  try {
    const stored = await storeMedia(media, {
      accountId,
      kind: 'input',
      source: bytes,
      maxBytes,
      contentType,
      accepts: type => type.startsWith(`${accepts}/`),
      taskId,
      requestId,
    })
    return stored.url
  } catch (error) {
    if (!(error instanceof MediaRefused)) throw error
    throw invalidParam(param, `must be ${accepts === 'image' ? 'an image' : 'a video'}: it ${error.message}`)
  }
}
