import { answerImages, createSpeech } from '../openai/media.ts'
import type { Handler, VendorApi } from '../simulator.ts'
import { completeChat } from './chat.ts'
import { createEmbeddings } from './embeddings.ts'
import { openaiHost } from './host.ts'
import { createVideo, downloadVideo, getVideo } from './videos.ts'

const posts: Record<string, Handler> = {
  'chat/completions': completeChat(openaiHost),
  embeddings: createEmbeddings,
  'images/generations': answerImages(openaiHost),
  'images/edits': answerImages(openaiHost),
  'audio/speech': createSpeech(openaiHost),
  videos: createVideo,
}

/** OpenAI's API at `{simulator}/openai/v1`. Any model name works. */
export const openai: VendorApi = {
  routes: [
    ...Object.entries(posts).map(([path, handle]) => ({
      method: 'POST',
      path: `/openai/v1/${path}`,
      handle,
    })),
    { method: 'GET', path: '/openai/v1/videos/:id', handle: getVideo },
    { method: 'GET', path: '/openai/v1/videos/:id/content', handle: downloadVideo },
  ],
  presentHeaders: ({ id }) => ({
    'openai-organization': 'org-sim',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${id.toString(16).padStart(32, '0')}`,
  }),
}
