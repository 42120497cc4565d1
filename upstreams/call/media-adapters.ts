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

/** Returns the adapter of a media model's wire format, for the vendor itself or for the cloud of the credential. */
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

/** Formats whose response to the submit contains the files, so that nothing is polled. */
const atOnce: readonly MediaEntry['upstream']['adapter'][] = [
  'openai-images',
  'openai-speech',
  'gemini-images',
]

/** Returns whether the response to the submit contains a model's files. */
export function answersAtOnce({ upstream }: Pick<MediaEntry, 'upstream'>): boolean {
  return atOnce.includes(upstream.adapter)
}
