import type { AdapterServices, ChatAdapter, ChatCall, UpstreamRequest } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { readAnswer } from './answer.ts'
import { originOf } from './calls.ts'
import { fetchImages } from './content.ts'
import { readFailure } from './failure.ts'
import { translateRequest } from './request.ts'
import { openTranslator } from './stream.ts'

/** The Gemini wire format (vendor_c). */
export const gemini: ChatAdapter = { buildRequest, readAnswer, openTranslator, readFailure }

/** Builds the vendor's request. Throws Problem with the parameter that the vendor does not support. */
async function buildRequest(
  call: ChatCall,
  target: Target,
  services: AdapterServices,
): Promise<UpstreamRequest> {
  const { chat, upstream } = call.entry
  const images = chat.vision ? await fetchImages(call.request.messages, services) : new Map()
  const body = translateRequest(call, { images, origin: originOf(call, target) }, target)
  const { origin, path } = locateModel(target.baseUrl, upstream.model)
  const isStreamed = call.request.stream === true
  return {
    origin,
    path: isStreamed ? `${path}:streamGenerateContent?alt=sse` : `${path}:generateContent`,
    headers: {
      'x-goog-api-key': target.apiKey,
      'content-type': 'application/json',
      accept: isStreamed ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
    body,
  }
}

/** Returns the path of a model below a base address, which can include the version. */
export function locateModel(baseUrl: string, model: string): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '').replace(/\/v1(beta)?$/, '')
  return { origin, path: `${prefix}/v1beta/models/${encodeURIComponent(model)}` }
}
