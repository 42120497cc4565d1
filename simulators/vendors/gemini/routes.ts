import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { checkKey } from '../check-key.ts'
import type { VendorApi } from '../simulator.ts'
import { refuse, refuseFailure, refuseKey, refuseModel } from './errors.ts'
import { generateContent } from './generate.ts'
import { downloadFile, readOperation, startOperation } from './operations.ts'
import { traitsOf } from './shape.ts'

const listed = ['prism-3-pro', 'prism-3-flash', 'prism-2-lite']

/** Gemini's API below `{simulator}/gemini`. Models that are not listed can be called all the same. */
export const gemini: VendorApi = {
  prefix: '/gemini/',
  routes: [
    {
      method: 'POST',
      path: /^\/gemini\/v1(beta)?\/models\/(?<model>[^/]+):(?<method>generateContent|streamGenerateContent)$/,
      handle: generateContent({
        authenticate: (_simulator, exchange) => authenticate(exchange),
        presentHeaders,
        refuseFailure,
      }),
    },
    {
      method: 'POST',
      path: /^\/gemini\/v1beta\/models\/(?<model>[^/]+):predictLongRunning$/,
      handle: startOperation(authenticate),
    },
    {
      method: 'GET',
      path: /^\/gemini\/v1beta\/models\/[^/]+\/operations\/(?<id>[\w-]+)$/,
      handle: readOperation(authenticate),
    },
    {
      method: 'GET',
      path: /^\/gemini\/v1beta\/files\/(?<name>[\w.-]+):download$/,
      handle: downloadFile(authenticate),
    },
    {
      method: 'GET',
      path: /^\/gemini\/v1(beta)?\/models$/,
      handle: (_simulator, exchange) => {
        authenticate(exchange)
        const body = JSON.stringify({ models: listed.map(presentModel) })
        return sendWhole(exchange, { headers: presentHeaders(), body })
      },
    },
    {
      method: 'GET',
      path: /^\/gemini\/v1(beta)?\/models\/(?<model>[^/:]+)$/,
      handle: (_simulator, exchange) => {
        authenticate(exchange)
        const { model = '' } = exchange.params
        if (traitsOf(model).isMissing) throw refuseModel(model)
        return sendWhole(exchange, { headers: presentHeaders(), body: JSON.stringify(presentModel(model)) })
      },
    },
  ],
  presentHeaders,
  refuseUnknown: () => refuse(404, 'Requested entity was not found.'),
  refuseTooLarge: () => refuse(400, 'Request payload size exceeds the limit: 104857600 bytes.'),
}

function presentModel(model: string) {
  return {
    name: `models/${model}`,
    baseModelId: model,
    version: '001',
    displayName: model,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }
}

/** The headers that Google adds to all its answers: none that names the request. */
export function presentHeaders(): OutgoingHttpHeaders {
  return {
    'x-content-type-options': 'nosniff',
    'server-timing': 'gfet4t7; dur=1',
    vary: 'Origin, X-Origin, Referer',
  }
}

const noKey =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."

/** The API key of a request, in its header or its query: see `checkKey` for those that are known. */
function authenticate({ request, query }: Exchange): string {
  const key = request.headers['x-goog-api-key'] ?? query.get('key')
  if (typeof key !== 'string') throw refuse(403, noKey)
  return checkKey(key, { refuseKey, keyStatus: 400, refuseFailure })
}
