import type { VendorApi } from '../simulator.ts'
import { completeChat } from './chat.ts'
import { createEmbeddings } from './embeddings.ts'
import { openaiHost } from './host.ts'
import { answerImages, createSpeech } from './media.ts'
import { createVideo, downloadVideo, getVideo } from './videos.ts'

/** OpenAI's API at `{simulator}/openai/v1`. Any model name works. */
export const openai: VendorApi = {
  routes: [
    { method: 'POST', path: '/openai/v1/chat/completions', handle: completeChat(openaiHost) },
    { method: 'POST', path: '/openai/v1/embeddings', handle: createEmbeddings },
    { method: 'POST', path: '/openai/v1/images/generations', handle: answerImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/images/edits', handle: answerImages(openaiHost) },
    { method: 'POST', path: '/openai/v1/audio/speech', handle: createSpeech(openaiHost) },
    { method: 'POST', path: '/openai/v1/videos', handle: createVideo },
    { method: 'GET', path: /^\/openai\/v1\/videos\/(?<id>[^/]+)$/, handle: getVideo },
    {
      method: 'GET',
      path: /^\/openai\/v1\/videos\/(?<id>[^/]+)\/content$/,
      handle: downloadVideo,
    },
  ],
  presentHeaders: openaiHost.presentHeaders,
}
