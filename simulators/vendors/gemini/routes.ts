import type { VendorApi } from '../simulator.ts'
import { refuseFailure } from './errors.ts'
import { generateContent } from './generate.ts'
import { authenticate, presentHeaders } from './host.ts'
import { downloadFile, readOperation, startOperation } from './operations.ts'

/** Gemini's API at `{simulator}/gemini`. Any model name works. */
export const gemini: VendorApi = {
  routes: [
    {
      method: 'POST',
      path: /^\/gemini\/v1(beta)?\/models\/(?<model>[^/]+):(?<method>generateContent|streamGenerateContent)$/,
      handle: generateContent({ authenticate, presentHeaders, refuseFailure }),
    },
    {
      method: 'POST',
      path: /^\/gemini\/v1beta\/models\/(?<model>[^/]+):predictLongRunning$/,
      handle: startOperation,
    },
    {
      method: 'GET',
      path: /^\/gemini\/v1beta\/models\/[^/]+\/operations\/(?<id>[\w-]+)$/,
      handle: readOperation,
    },
    { method: 'GET', path: /^\/gemini\/v1beta\/files\/(?<name>[\w.-]+):download$/, handle: downloadFile },
  ],
  presentHeaders,
}
