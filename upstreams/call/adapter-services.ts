import type { Dispatcher } from 'undici'
import { Problem } from '../../schema/errors.ts'
import { forgetToken, readToken, type TokenCache } from '../clouds/vertex/read-token.ts'
import type { ServiceAccount } from '../clouds/vertex/service-account.ts'
import type { Cancellation } from '../http/cancellation.ts'
import { type FetchedImage, fetchImage } from '../http/fetch-image.ts'

/** What an adapter may fetch while it builds a request. */
export interface AdapterServices {
  /** Images by their addresses. Throws `invalid_request`, naming the parameter; UpstreamFailure `aborted`. */
  fetchImages(params: ImageParams): Promise<Map<string, FetchedImage>>
  /** A bearer token of a service account. Throws UpstreamFailure. */
  accessToken(account: ServiceAccount): Promise<string>
  /** Tells that the vendor refused the token: the next one is another. */
  forgetToken(): void
}

/** Addresses of images, and how errors name each. */
export type ImageParams = ReadonlyMap<string, string>

/** Of one request: more images than this, or more bytes of them, are not fetched. */
const mostImages = 16
const mostImageBytes = 32 << 20

/** Opens the services for one client's request: what is fetched for it ends when the client leaves. */
export function openAdapterServices(
  given: { guarded: Dispatcher; tokens: TokenCache },
  cancellation: Cancellation,
): AdapterServices {
  let used: ServiceAccount | undefined
  return {
    fetchImages: params => fetchAll(given.guarded, params, cancellation),
    accessToken(account) {
      used = account
      return readToken(given.tokens, account)
    },
    forgetToken() {
      if (used) forgetToken(given.tokens, used)
    },
  }
}

async function fetchAll(
  dispatcher: Dispatcher,
  params: ImageParams,
  cancellation: Cancellation,
): Promise<Map<string, FetchedImage>> {
  if (params.size === 0) return new Map()
  const surplus = [...params.values()][mostImages]
  if (surplus) {
    const message = `At most ${mostImages} images are fetched for a request: send the others inline.`
    throw new Problem('invalid_request', { param: surplus, message })
  }
  const leaving = new AbortController()
  const budget = { leftBytes: mostImageBytes }
  cancellation.onCancel(() => leaving.abort())
  try {
    const fetched = [...params].map(async ([url, param]) => {
      const image = await fetchImage(dispatcher, url, {
        param,
        budget,
        cancellation,
        leaving: leaving.signal,
      })
      return [url, image] as const
    })
    return new Map(await Promise.all(fetched))
  } finally {
    cancellation.onCancel(undefined)
    leaving.abort() // of several, the others need not go on once one failed
  }
}
