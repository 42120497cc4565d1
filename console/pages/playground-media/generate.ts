import { callInference } from '../../inference/call-inference.ts'
import type { Model } from '../../inference/models.ts'
import type { MediaKind } from './route.ts'

/** The response: images, or a task. */
interface Generated {
  data?: { url: string }[]
  id?: string
}

/** The beginning of the catalogue IDs of models that read text aloud. */
const speech = 'text-to-speech.'

/** Returns the path under `/v1` that generates with a model. */
export function pathOf(kind: MediaKind, { id }: Pick<Model, 'id'>): string {
  if (kind === 'images') return '/images/generations'
  if (kind === 'videos') return '/videos/generations'
  return id.startsWith(speech) ? '/audio/speech' : '/audio/generations'
}

/** Sends a request for images or for a task. Throws `ServiceError`. */
export function generate(kind: MediaKind, model: Model, parameters: Record<string, unknown>) {
  return callInference<Generated>(pathOf(kind, model), { model: model.inferenceId, ...parameters })
}

/** The request as a command. */
export function curlOf(path: string, body: Record<string, unknown>): string {
  return `curl ${location.origin}/v1${path} \\
  -H "Authorization: Bearer $RUBICON_API_KEY" -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body, undefined, 2).replaceAll("'", `'\\''`)}'`
}
