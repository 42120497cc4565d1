import type { WireFormat } from '../server/exchange.ts'
import { authenticate } from './authenticate.ts'
import { generateContent } from './generate/generate-content.ts'
import { listModels, showModel } from './list-models.ts'
import { presentHeaders } from './present-headers.ts'
import { refuse, refuseTrouble } from './refuse.ts'

const handle = generateContent({
  authenticate: (_simulator, exchange) => authenticate(exchange),
  presentHeaders,
  refuseTrouble,
})

/** Gemini's API below `{simulator}/gemini`. */
export const gemini: WireFormat = {
  prefix: '/gemini/',
  routes: [
    {
      method: 'POST',
      path: /^\/gemini\/v1(beta)?\/models\/(?<model>[^/]+):(?<method>generateContent|streamGenerateContent)$/,
      handle,
    },
    { method: 'GET', path: /^\/gemini\/v1(beta)?\/models$/, handle: listModels },
    { method: 'GET', path: /^\/gemini\/v1(beta)?\/models\/(?<model>[^/:]+)$/, handle: showModel },
  ],
  presentHeaders,
  refuseUnknown: () => refuse(404, 'Requested entity was not found.'),
  refuseTooLarge: () => refuse(400, 'Request payload size exceeds the limit: 104857600 bytes.'),
}
