import { readMetadata } from '../../domain/logs/request-metadata.ts'
import type { MediaModel, ModelCache } from '../../domain/models/model-cache.ts'
import type { Explanation } from '../../domain/pricing/calculate-price.ts'
import type { TaskKind } from '../../domain/tasks/task.ts'
import { isRecord } from '../../platform/checks.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { objectionToUrl } from '../../platform/http/public-url.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam, missingParam } from '../../schema/refuse-param.ts'

/** A valid and priced submit. */
export interface Submission {
  kind: TaskKind
  model: MediaModel
  /** The parameters, with defaults of the model's schema. */
  parameters: Record<string, unknown>
  price: Explanation
  callbackUrl: string | undefined
  /** The client's metadata, in the format of the log. */
  metadata: string | null
}

const maxAddressLength = 2_048

/**
 * Reads the body of a submit: model, `callback_url` and `metadata`. All other fields are parameters of the model.
 * Throws `invalid_request`, `missing_parameter`, `unsupported_parameter` and `model_not_found`, which name the
 * parameter.
 */
export function readSubmission(
  { models, config }: { models: ModelCache; config: Config },
  { kind, json }: { kind: TaskKind; json: unknown },
): Submission {
  if (!isRecord(json)) throw new Problem('invalid_request', { message: 'The body must be a JSON object.' })
  const { model: name, callback_url: callback, metadata, ...given } = json
  if (name === undefined || name === null) throw missingParam('model')
  if (typeof name !== 'string') throw invalidParam('model', 'must be a string')
  const callbackUrl = readCallback(config, callback)
  const model = models.media(name, kind)
  const parameters = model.check(given)
  const price = model.price.explain(parameters)
  return { kind, model, parameters, price, callbackUrl, metadata: readMetadata(metadata) }
}

/** Reads the callback URL. The addresses of its host are checked when it is called. */
function readCallback(config: Config, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const param = 'callback_url'
  if (typeof value !== 'string' || !URL.canParse(value))
    throw invalidParam(param, 'must be a public https:// address')
  const url = new URL(value)
  if (url.href.length > maxAddressLength)
    throw invalidParam(param, `must have at most ${maxAddressLength} characters`)
  const objection = objectionToUrl(url, config)
  if (objection) throw invalidParam(param, `must ${objection}`)
  return url.href
}
