import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { checkKey } from '../check-key.ts'
import type { VendorApi } from '../simulator.ts'
import { type ChatHost, completeChat } from './chat.ts'
import { createEmbeddings } from './embeddings.ts'
import { errorInAnswer, refuse, refuseFailure } from './errors.ts'
import { createSpeech, editImages, generateImages } from './media.ts'
import { createVideo, deleteVideo, downloadVideo, getVideo } from './videos.ts'

/** OpenAI as the host of its models. `hosts/compatible.ts` reuses it. */
export const openaiHost: ChatHost = { authenticate, presentHeaders, refuseFailure, errorInAnswer }

const videoPath = /^\/openai\/v1\/videos\/(?<id>[^/]+)$/

/** OpenAI's API at `{simulator}/openai/v1`. Any model name works. */
export const openai: VendorApi = {
  prefix: '/openai/',
  routes: [
    { method: 'POST', path: '/openai/v1/chat/completions', handle: completeChat(openaiHost) },
    { method: 'POST', path: '/openai/v1/embeddings', handle: createEmbeddings(openaiHost) },
    { method: 'POST', path: '/openai/v1/images/generations', handle: generateImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/images/edits', handle: editImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/audio/speech', handle: createSpeech(openaiHost) },
    { method: 'POST', path: '/openai/v1/videos', handle: createVideo(openaiHost) },
    { method: 'GET', path: videoPath, handle: getVideo(openaiHost) },
    { method: 'DELETE', path: videoPath, handle: deleteVideo(openaiHost) },
    {
      method: 'GET',
      path: /^\/openai\/v1\/videos\/(?<id>[^/]+)\/content$/,
      handle: downloadVideo(openaiHost),
    },
  ],
  presentHeaders,
  refuseUnknown: (method, path) => {
    const address = path.replace('/openai', '')
    if (!openai.routes.some(route => route.path === path))
      return refuse(404, `Invalid URL (${method} ${address})`)
    const message = `Not allowed to ${method} on ${address}. (HINT: Perhaps you meant to use a different HTTP method?)`
    return refuse(405, message, { code: 'method_not_supported' })
  },
  refuseTooLarge: () => refuse(413, 'The request body is too large.'),
}

/** The headers of all OpenAI answers. */
function presentHeaders({ id }: Exchange): OutgoingHttpHeaders {
  return {
    'openai-organization': 'org-sim',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${id.toString(16).padStart(32, '0')}`,
  }
}

const noKey =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username. You can obtain an API key from https://platform.openai.com/account/api-keys."

/** Returns the API key of a request. `checkKey` defines the valid keys. */
function authenticate({ request }: Exchange): string {
  const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!key) throw refuse(401, noKey)
  return checkKey(key, {
    refuseKey: () => {
      const masked =
        key.length <= 12
          ? '*'.repeat(key.length)
          : key.slice(0, 8) + '*'.repeat(key.length - 12) + key.slice(-4)
      const message = `Incorrect API key provided: ${masked}. You can find your API key at https://platform.openai.com/account/api-keys.`
      return refuse(401, message, { code: 'invalid_api_key' })
    },
    keyStatus: 401,
    refuseFailure,
  })
}
