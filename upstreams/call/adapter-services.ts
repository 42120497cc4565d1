import type { Dispatcher } from 'undici'
import type { AdapterServices, FetchedImage, ServiceAccount } from '../chat-adapter.ts'
import { forgetToken, readToken, type TokenCache } from '../clouds/vertex-tokens.ts'
import { invalid } from '../formats/shared/refusals.ts'
import type { Cancellation } from '../http/cancellation.ts'
import { fetchImage, readImage } from '../http/fetch-image.ts'

/** Maximum number of images that are fetched for one request, and maximum total size, in bytes. */
const maxImages = 16
const maxImageBytes = 32 << 20

/** The sources of images: URLs that customers name, and Rubicon's own storage. */
interface ImageSources {
  guarded: Dispatcher
  readOwn?: ((address: string, maxBytes: number) => Promise<Buffer | undefined>) | undefined
}

/** The services of one request. */
interface VendorServices extends AdapterServices {
  /** Whether images were fetched, which makes the request large. */
  hasFetched: boolean
}

/** Opens the services for one client's request. If the client disconnects, downloads are aborted. */
export function openAdapterServices(
  { guarded, tokens, readOwn }: ImageSources & { tokens: TokenCache },
  { cancellation, accountId }: { cancellation: Cancellation; accountId?: string | undefined },
): VendorServices {
  let used: ServiceAccount | undefined
  const services: VendorServices = {
    hasFetched: false,
    fetchImages(params) {
      services.hasFetched ||= params.size > 0
      return fetchAll({ guarded, readOwn }, params, cancellation)
    },
    accessToken(account) {
      used = account
      return readToken(tokens, account, accountId)
    },
    forgetToken() {
      if (used) forgetToken(tokens, used)
    },
  }
  return services
}

async function fetchAll(
  { guarded, readOwn }: ImageSources,
  params: ReadonlyMap<string, string>,
  cancellation: Cancellation,
): Promise<Map<string, FetchedImage>> {
  if (params.size === 0) return new Map()
  const surplus = [...params.values()][maxImages]
  if (surplus) {
    throw invalid(surplus, `At most ${maxImages} images are fetched for a request: send the others inline.`)
  }
  const abort = new AbortController()
  const budget = { leftBytes: maxImageBytes }
  cancellation.onCancel(() => abort.abort())
  try {
    const fetched = [...params].map(async ([url, param]) => {
      const own = await readOwn?.(url, budget.leftBytes)
      if (own) return [url, readImage(own, { param, budget })] as const
      const image = await fetchImage(guarded, url, { param, budget, cancellation, signal: abort.signal })
      return [url, image] as const
    })
    return new Map(await Promise.all(fetched))
  } finally {
    cancellation.onCancel(undefined)
    abort.abort() // if one image fails, the others are not needed
  }
}
