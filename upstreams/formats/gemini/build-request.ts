import type { AdapterServices } from '../../call/adapter-services.ts'
import type { ChatCall, Target } from '../../chat-adapter.ts'
import { locateVertexModel } from '../../clouds/vertex/locate-model.ts'
import { readVertexCredential } from '../../clouds/vertex/service-account.ts'
import type { UpstreamRequest } from '../../http/exchange.ts'
import { locateModel } from './locate-model.ts'
import { originOf } from './origin-of.ts'
import { fetchImages } from './request/fetch-images.ts'
import { translateRequest } from './request/translate-request.ts'

/**
 * The request as the vendor wants it, with an API key at the vendor's own API, or through Vertex with a service account.
 * Throws Problem, naming the parameter, for what the vendor cannot do; UpstreamFailure where no token is to be had.
 */
export async function buildRequest(
  call: ChatCall,
  target: Target,
  services: AdapterServices,
): Promise<UpstreamRequest> {
  const { vision } = call.entry.chat
  const images = vision ? await fetchImages(call.request.messages, services) : new Map()
  const body = translateRequest(call, { images, origin: originOf(call, target) }, target)
  const { origin, path, authorization } = await reach(call, target, services)
  const isStreamed = call.request.stream === true
  return {
    origin,
    path: isStreamed ? `${path}:streamGenerateContent?alt=sse` : `${path}:generateContent`,
    headers: {
      ...authorization,
      'content-type': 'application/json',
      accept: isStreamed ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
    body: JSON.stringify(body),
  }
}

interface Reach {
  origin: string
  /** Of the model, without what is asked of it. */
  path: string
  authorization: Record<string, string>
}

async function reach({ entry }: ChatCall, target: Target, services: AdapterServices): Promise<Reach> {
  const place = { baseUrl: target.baseUrl, model: entry.upstream.model }
  const credential = readVertexCredential(target)
  if (!credential) return { ...locateModel(place), authorization: { 'x-goog-api-key': target.apiKey } }
  const token = await services.accessToken(credential.account)
  return { ...locateVertexModel(credential, place), authorization: { authorization: `Bearer ${token}` } }
}
