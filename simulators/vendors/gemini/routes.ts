import type { VendorApi } from '../simulator.ts'
import { generateContent } from './generate.ts'
import { geminiHost } from './host.ts'
import { downloadFile, readOperation, startOperation } from './operations.ts'

const models = '/gemini/v1beta/models/:model'

/** Gemini's API at `{simulator}/gemini`. Any model name works. */
export const gemini: VendorApi = {
  routes: [
    {
      method: 'POST',
      path: `${models}\\::method(generateContent|streamGenerateContent)`,
      handle: generateContent(geminiHost),
    },
    { method: 'POST', path: `${models}\\:predictLongRunning`, handle: startOperation },
    { method: 'GET', path: `${models}/operations/:id`, handle: readOperation },
    { method: 'GET', path: '/gemini/v1beta/files/:name\\:download', handle: downloadFile },
  ],
  // None of Google's headers contains a request ID.
  presentHeaders: () => ({
    'content-type': 'application/json; charset=UTF-8',
    'x-content-type-options': 'nosniff',
    'server-timing': 'gfet4t7; dur=1',
    vary: 'Origin, X-Origin, Referer',
  }),
}
