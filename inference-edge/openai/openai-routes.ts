import type { Route } from '../edge.ts'
import { paid } from '../pipeline/serve-paid.ts'
import { openaiSpeech } from './create-speech.ts'
import { openaiVideos } from './create-video.ts'
import { refuseAll } from './hints.ts'
import { deleteVideo, downloadVideo, listOpenaiVideos, retrieveVideo } from './serve-videos.ts'

const madeOfVideos =
  'Videos cannot be created from other videos by ID. Create one from a prompt and an input_reference, or with a model that accepts video_urls.'

const ofVideos = /^\/v1\/videos\/((edits|extensions|characters)(\/|$)|[^/]+\/remix\/?$)/

/**
 * The endpoints that have OpenAI's own format under `/openai/v1`, by path and method. All other endpoints are the same
 * as under `/v1`.
 */
export const openaiRoutes: Readonly<Record<string, Record<string, Route>>> = {
  '/v1/audio/speech': { POST: paid(openaiSpeech) },
  '/v1/videos': { POST: paid(openaiVideos), GET: listOpenaiVideos },
  '/v1/videos/*': { GET: retrieveVideo, DELETE: deleteVideo },
  '/v1/videos/*/content': { GET: downloadVideo },
}

const patterns = Object.entries(openaiRoutes).map(
  ([path, methods]) => [new RegExp(`^${path.replace('*', '[^/]+')}/?$`), methods] as const,
)

/** Returns the handlers of a path, given without its prefix `/openai`; undefined if OpenAI's shape is the shape of `/v1`. */
export function openaiMethodsAt(path: string): Record<string, Route> | undefined {
  if (ofVideos.test(path)) return refuseAll(madeOfVideos)
  return patterns.find(([pattern]) => pattern.test(path))?.[1]
}
