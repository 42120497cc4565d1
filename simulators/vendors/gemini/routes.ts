import type { VendorApi } from '../simulator.ts'
import { generateContent } from './generate.ts'
import { geminiHost } from './host.ts'
import { downloadFile, readOperation, startOperation } from './operations.ts'

const models = '/gemini/v1beta/models/:model'

/** Gemini's API at `{simulator}/gemini`. Any model name works. */
export const gemini: VendorApi = {
  routes: {
    [`POST ${models}\\::method(generateContent|streamGenerateContent)`]: generateContent(geminiHost),
    [`POST ${models}\\:predictLongRunning`]: startOperation,
    [`GET ${models}/operations/:id`]: readOperation,
    'GET /gemini/v1beta/files/:name\\:download': downloadFile,
  },
  // None of Google's headers contains a request ID.
  presentHeaders: () => ({
    'content-type': 'application/json; charset=UTF-8',
    'x-content-type-options': 'nosniff',
    'server-timing': 'gfet4t7; dur=1',
    vary: 'Origin, X-Origin, Referer',
  }),
}
