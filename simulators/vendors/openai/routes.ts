import type { VendorApi } from '../simulator.ts'
import { completeChat } from './chat.ts'
import { createEmbeddings } from './embeddings.ts'
import { openaiHost } from './host.ts'
import { answerImages, createSpeech } from './media.ts'
import { createVideo, downloadVideo, getVideo } from './videos.ts'

/** OpenAI's API at `{simulator}/openai/v1`. Any model name works. */
export const openai: VendorApi = {
  routes: {
    'POST /openai/v1/chat/completions': completeChat(openaiHost),
    'POST /openai/v1/embeddings': createEmbeddings,
    'POST /openai/v1/images/generations': answerImages(openaiHost),
    'POST /openai/v1/images/edits': answerImages(openaiHost),
    'POST /openai/v1/audio/speech': createSpeech(openaiHost),
    'POST /openai/v1/videos': createVideo,
    'GET /openai/v1/videos/:id': getVideo,
    'GET /openai/v1/videos/:id/content': downloadVideo,
  },
  presentHeaders: ({ id }) => ({
    'openai-organization': 'org-sim',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${id.toString(16).padStart(32, '0')}`,
  }),
}
