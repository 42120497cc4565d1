import { Problem } from '../../schema/errors.ts'
import type { Route } from '../edge.ts'

const transcriptions =
  'No model here transcribes. Send sound as an input_audio part to a chat model that accepts it.'

/** What to call in place of OpenAI's calls that are not served, by the beginning of their path. */
const hints: readonly [beginning: RegExp, hint: string][] = [
  [
    /^\/v1\/videos(\/|$)/,
    'Videos are at /v1/videos/generations. In the shape of OpenAI, they are at /openai/v1/videos: use the base address {origin}/openai/v1.',
  ],
  [
    /^\/v1\/files(\/|$)/,
    'Files are not stored for later requests by ID. Send documents and sound within a request, and images to POST /v1/uploads.',
  ],
  [
    /^\/v1\/moderations\/?$/,
    'No model here moderates. Ask a chat model, or the moderation service of a vendor.',
  ],
  [/^\/v1\/completions\/?$/, 'Text completions are not served. Use POST /v1/chat/completions.'],
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
