import type { Dispatcher } from 'undici'
import { Problem } from '../schema/errors.ts'
import { type ByteBudget, type FetchedImage, fetchImage } from './http/fetch-image.ts'
import { readToken, type TokenBook } from './vertex/read-token.ts'
import type { ServiceAccount } from './vertex/service-account.ts'

/** What an adapter may fetch while it builds a request. */
export interface Outside {
  /** An image by its address. Throws `invalid_request`, naming `param`; UpstreamFailure `aborted`. */
  fetchImage(url: string, param: string): Promise<FetchedImage>
  /** A bearer token of a service account. Throws UpstreamFailure. */
  accessToken(account: ServiceAccount): Promise<string>
}

/** Of one request: more images than this, or more bytes of them, are not fetched. */
const mostImages = 16
const imageBytes = 32 << 20

/** Opens the outside for one client's request; what it named is fetched once, and no longer once the client has left. */
export function openOutside(given: { guarded: Dispatcher; tokens: TokenBook }, signal: AbortSignal): Outside {
  const images = new Map<string, Promise<FetchedImage>>()
  const budget: ByteBudget = { leftBytes: imageBytes }
  return {
    fetchImage(url, param) {
      const known = images.get(url)
      if (known) return known
      if (images.size >= mostImages) {
        const message = `At most ${mostImages} images are fetched for a request: send the others inline.`
        return Promise.reject(new Problem('invalid_request', { param, message }))
      }
      const fetched = fetchImage(given.guarded, url, { param, budget, signal })
      images.set(url, fetched)
      return fetched
    },
    accessToken: account => readToken(given.tokens, account),
  }
}
