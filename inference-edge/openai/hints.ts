import { Problem } from '../../schema/errors.ts'
import type { Route } from '../edge.ts'

const transcriptions =
  'Transcription is not supported. Send audio as an input_audio part to a chat model that accepts it.'

/** Hints for OpenAI's endpoints that are not supported, by the beginning of their path: the endpoint to use instead. */
const hints: readonly [beginning: RegExp, hint: string][] = [
  [
    /^\/v1\/videos(\/|$)/,
    'Videos are at /v1/videos/generations. In the format of OpenAI, they are at /openai/v1/videos: use the base URL {origin}/openai/v1.',
  ],
  [
    /^\/v1\/files(\/|$)/,
    'Files cannot be stored and referenced by ID. Send documents and audio within the request, and images to POST /v1/uploads.',
  ],
  [
    /^\/v1\/moderations\/?$/,
    'Moderation is not supported. Use a chat model, or the moderation service of a vendor.',
  ],
  [/^\/v1\/completions\/?$/, 'Text completions are not supported. Use POST /v1/chat/completions.'],
  [/^\/v1\/audio\/(transcriptions|translations)\/?$/, transcriptions],
]

/** Returns handlers that refuse every method with a hint; undefined for a path without a hint. */
export function hintsAt(path: string): Record<string, Route> | undefined {
  const hint = hints.find(([beginning]) => beginning.test(path))?.[1]
  return hint === undefined ? undefined : refuseAll(hint)
}

/** Returns handlers of all methods, which throw `not_found` with the hint. */
export function refuseAll(hint: string): Record<string, Route> {
  const refuse: Route = async () => {
    throw new Problem('not_found', { message: hint })
  }
  return { GET: refuse, POST: refuse, DELETE: refuse }
}
