import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { checkKey } from '../check-key.ts'
import type { VendorApi } from '../simulator.ts'
import { type ChatHost, completeChat } from './chat.ts'
import { createEmbeddings } from './embeddings.ts'
import { errorInAnswer, refuse, refuseFailure, refuseModel } from './errors.ts'
import { editImages, generateImages } from './images.ts'
import { traitsOf } from './shape.ts'
import { createSpeech } from './speech.ts'
import { createVideo, deleteVideo, downloadVideo, retrieveVideo } from './videos.ts'

/** OpenAI's own host of its models, which `hosts/compatible.ts` imitates. */
export const openaiHost: ChatHost = { authenticate, presentHeaders, refuseFailure, errorInAnswer }

const videoPath = /^\/openai\/v1\/videos\/(?<id>[^/]+)$/

const listed = ['gpt-sim', 'gpt-sim-mini', 'reasoning-sim']

/** OpenAI's API below `{simulator}/openai/v1`. Models that are not listed can be called all the same. */
export const openai: VendorApi = {
  prefix: '/openai/',
  routes: [
    { method: 'POST', path: '/openai/v1/chat/completions', handle: completeChat(openaiHost) },
    { method: 'POST', path: '/openai/v1/embeddings', handle: createEmbeddings(openaiHost) },
    { method: 'POST', path: '/openai/v1/images/generations', handle: generateImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/images/edits', handle: editImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/audio/speech', handle: createSpeech(openaiHost) },
    { method: 'POST', path: '/openai/v1/videos', handle: createVideo(openaiHost) },
    { method: 'GET', path: videoPath, handle: retrieveVideo(openaiHost) },
    { method: 'DELETE', path: videoPath, handle: deleteVideo(openaiHost) },
    {
      method: 'GET',
      path: /^\/openai\/v1\/videos\/(?<id>[^/]+)\/content$/,
      handle: downloadVideo(openaiHost),
    },
    {
      method: 'GET',
      path: '/openai/v1/models',
      handle: (_simulator, exchange) => {
        authenticate(exchange)
        const body = JSON.stringify({ object: 'list', data: listed.map(presentModel) })
        return sendWhole(exchange, { headers: presentHeaders(exchange), body })
      },
    },
    {
      method: 'GET',
      path: /^\/openai\/v1\/models\/(?<model>[^/]+)$/,
      handle: (_simulator, exchange) => {
        authenticate(exchange)
        const { model = '' } = exchange.params
        if (traitsOf(model).isMissing) throw refuseModel(model)
        return sendWhole(exchange, {
          headers: presentHeaders(exchange),
          body: JSON.stringify(presentModel(model)),
        })
      },
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

function presentModel(id: string) {
  return { id, object: 'model', created: 1_767_225_600, owned_by: 'simulator' }
}

/** The headers that OpenAI adds to all its answers. */
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

/** The API key of a request: see `checkKey` for those that are known. */
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
