import type { Route } from '../edge.ts'
import { createSpeech } from './create-speech.ts'

/** The calls that have OpenAI's own shape under `/openai/v1`, by path and method. All others are those of `/v1`. */
const routes: Record<string, Record<string, Route>> = {
  '/v1/audio/speech': { POST: createSpeech },
}

/** Returns the handlers of a path, given without its prefix `/openai`; undefined if it has no shape of its own. */
export function openaiMethodsAt(path: string): Record<string, Route> | undefined {
  return routes[path.replace(/\/$/, '')]
}
