import type { VendorApi } from '../simulator.ts'
import { completeChat } from './chat.ts'
import { createEmbeddings } from './embeddings.ts'
import { refuse } from './errors.ts'
import { openaiHost } from './host.ts'
import { createSpeech, editImages, generateImages } from './media.ts'
import { createVideo, deleteVideo, downloadVideo, getVideo } from './videos.ts'

const videoPath = /^\/openai\/v1\/videos\/(?<id>[^/]+)$/
const contentPath = /^\/openai\/v1\/videos\/(?<id>[^/]+)\/content$/

/** OpenAI's API at `{simulator}/openai/v1`. Any model name works. */
export const openai: VendorApi = {
  prefix: '/openai/',
  routes: [
    { method: 'POST', path: '/openai/v1/chat/completions', handle: completeChat(openaiHost) },
    { method: 'POST', path: '/openai/v1/embeddings', handle: createEmbeddings },
    { method: 'POST', path: '/openai/v1/images/generations', handle: generateImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/images/edits', handle: editImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/audio/speech', handle: createSpeech(openaiHost) },
    { method: 'POST', path: '/openai/v1/videos', handle: createVideo },
    { method: 'GET', path: videoPath, handle: getVideo },
    { method: 'DELETE', path: videoPath, handle: deleteVideo },
    { method: 'GET', path: contentPath, handle: downloadVideo },
  ],
  presentHeaders: openaiHost.presentHeaders,
  refuseUnknown: (method, path) => {
    const address = path.replace('/openai', '')
    if (!openai.routes.some(route => route.path === path))
      return refuse(404, `Invalid URL (${method} ${address})`)
    const message = `Not allowed to ${method} on ${address}. (HINT: Perhaps you meant to use a different HTTP method?)`
    return refuse(405, message, { code: 'method_not_supported' })
  },
  refuseTooLarge: () => refuse(413, 'The request body is too large.'),
}
