import type { MediaEntry } from '../../schema/catalog/entry.ts'
import { isAzure, mediaOnAzure } from '../clouds/azure.ts'
import { imagesOnVertex, isVertex } from '../clouds/vertex.ts'
import { geminiImages } from '../formats/gemini-images.ts'
import { googleOperations } from '../formats/google-operations.ts'
import { openaiImages } from '../formats/openai-images.ts'
import { openaiSpeech } from '../formats/openai-speech.ts'
import { openaiVideos } from '../formats/openai-videos.ts'
import { queue } from '../formats/queue/adapter.ts'
import type { MediaAdapter } from '../media-adapter.ts'
import type { Target } from '../targets.ts'

const openaiImagesOnAzure = mediaOnAzure(openaiImages)
const openaiSpeechOnAzure = mediaOnAzure(openaiSpeech)
const geminiImagesOnVertex = imagesOnVertex(geminiImages)

/**
 * The adapter of a media model's wire format, at the vendor itself or at the cloud that the credential belongs
 * to.
 */
export function mediaAdapterOf({ upstream }: Pick<MediaEntry, 'upstream'>, target: Target): MediaAdapter {
  switch (upstream.adapter) {
    case 'openai-images':
      return isAzure(target) ? openaiImagesOnAzure : openaiImages
    case 'openai-speech':
      return isAzure(target) ? openaiSpeechOnAzure : openaiSpeech
    case 'gemini-images':
      return isVertex(target) ? geminiImagesOnVertex : geminiImages
    case 'openai-videos':
      return openaiVideos
    case 'google-operations':
      return googleOperations
    case 'queue':
      return queue
  }
}

/** Formats whose files come in the answer to the submit, so that nothing is polled. */
const atOnce: readonly MediaEntry['upstream']['adapter'][] = [
  'openai-images',
  'openai-speech',
  'gemini-images',
]

/** Whether the files of a model come in the answer to the submit. */
export function answersAtOnce({ upstream }: Pick<MediaEntry, 'upstream'>): boolean {
  return atOnce.includes(upstream.adapter)
}
