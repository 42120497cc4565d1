import type { Dispatcher } from 'undici'
import type { AdapterServices, FetchedImage, ServiceAccount } from '../chat-adapter.ts'
import { forgetToken, readToken, type TokenCache } from '../clouds/vertex-tokens.ts'
import { invalid } from '../formats/shared/refusals.ts'
import type { Cancellation } from '../http/cancellation.ts'
import { fetchImage, readImage } from '../http/fetch-image.ts'

/** Images that are fetched for one request, and their bytes in all. */
const maxImages = 16
const maxImageBytes = 32 << 20

/** Where images are had from: an address that customers name, or our own storage. */
interface ImageSources {
  guarded: Dispatcher
  readOwn?: ((address: string, maxBytes: number) => Promise<Buffer | undefined>) | undefined
}

/** The services of one request. */
interface VendorServices extends AdapterServices {
  /** Whether images were fetched: the request that contains them is large. */
  hasFetched: boolean
}

/** Opens the services for one client's request: what is fetched for it is aborted when the client leaves. */
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
    abort.abort() // once one image failed, the others are not needed
  }
}
