import type { RequestLabels } from '../../domain/budgets/matching-budgets.ts'
import { readMetadata } from '../../domain/logs/request-metadata.ts'
import type { CheckedParameters } from '../../domain/models/compile-parameters.ts'
import type { MediaModel, ModelCache } from '../../domain/models/model-cache.ts'
import { isRecord } from '../../platform/checks.ts'
import type { ParameterSchema } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam, missingParam } from '../../schema/refuse-param.ts'
import { readSize } from './read-size.ts'

/** Whether the response has URLs, the images themselves, or both. */
export type ImageFormat = 'url' | 'b64_json' | 'both'

/** A request for images, validated against its model. */
export interface ImageRequest {
  model: MediaModel
  /** The parameters, with defaults of the model's schema. */
  parameters: CheckedParameters
  /** The number of images. */
  count: number
  format: ImageFormat
  labels: RequestLabels
}

/** Fields of OpenAI's clients that are ignored if they are false or 0, since a response is never streamed. */
const emptyFields = ['stream', 'partial_images']

/**
 * Reads a request for images. `model`, `response_format`, `user`, `safety_identifier` and `metadata` are read here, `size` is
 * translated if the model has `aspect_ratio`, and all other fields are parameters of the model. `auto` counts as
 * omitted unless the model supports it. Throws `invalid_request`, `missing_parameter`, `unsupported_parameter` and
 * `model_not_found`, which name the parameter.
 */
export function readImageRequest(
  models: ModelCache,
  json: unknown,
  { usualFormat }: { usualFormat: ImageFormat },
): ImageRequest {
  if (!isRecord(json)) throw new Problem('invalid_request', { message: 'The body must be a JSON object.' })
  const { model: name, response_format, user, safety_identifier, metadata, ...given } = json
  if (name === undefined || name === null) throw missingParam('model')
  if (typeof name !== 'string') throw invalidParam('model', 'must be a string')
  const format = readFormat(response_format) ?? usualFormat
  const endUser = readName('safety_identifier', safety_identifier) ?? readName('user', user)
  for (const field of emptyFields) if (given[field] === false || given[field] === 0) delete given[field]
  const model = models.media(name, 'image')
  const chosen = withoutAuto(given, model.entry.parameters)
  const parameters = model.check(readSize(chosen, model.entry.parameters))
  const count = typeof parameters.n === 'number' ? parameters.n : 1
  const labels = { metadata: readMetadata(metadata), endUser: endUser ?? null }
  return { model, parameters, count, format, labels }
}

/** Parameters for which OpenAI's clients send `auto`, or that have another name in the catalogue. */
const choices = ['aspect_ratio', 'background', 'moderation', 'quality', 'resolution', 'size', 'style']

/** Returns the parameters without every `auto` that is not a value of the model. */
function withoutAuto(
  given: Record<string, unknown>,
  { properties }: ParameterSchema,
): Record<string, unknown> {
  const chosen = { ...given }
  for (const name of choices) {
    const allowed = properties[name] ? (properties[name].enum ?? ['auto']) : []
    if (given[name] === 'auto' && !(Array.isArray(allowed) && allowed.includes('auto'))) delete chosen[name]
  }
  return chosen
}

function readFormat(value: unknown): ImageFormat | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'url' || value === 'b64_json') return value
  throw invalidParam('response_format', 'must be one of url, b64_json')
}

function readName(param: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.length <= 512) return value
  throw invalidParam(param, 'must be a string of at most 512 characters')
}
