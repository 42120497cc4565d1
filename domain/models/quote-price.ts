import type { CatalogueEntry, ChatEntry, MediaEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkAll } from '../check-all.ts'
import type { Context } from '../context.ts'
import type { Explanation } from '../pricing/calculate-price.ts'
import { compileChatPrice } from '../pricing/compile-chat-price.ts'
import { compileMediaPrice } from '../pricing/compile-media-price.ts'
import { compilePeriods, periodsOf } from '../pricing/price-periods.ts'
import { pricedParameters } from '../pricing/priced-parameters.ts'
import { type CheckedParameters, compileParameters, openValidator } from './compile-parameters.ts'
import { findModel, type ModelContext, type ModelRecord } from './model-records.ts'
import type { Visibility } from './reachable-models.ts'

/** Maximum of each count, above every context window. */
const maxCount = 1_000_000_000

/** The counts of a chat request. Cached and cache-creating tokens are part of the prompt. */
export interface QuotedUsage {
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  images: number
}

/** A request that has not been sent. Omitted counts are zero. */
export interface QuotedRequest {
  /** The model's catalogue ID, or its name in inference requests. */
  model: string
  usage: Partial<QuotedUsage>
  serviceTier?: string | undefined
  /** The parameters of an image, video or audio model. Only those on which the price depends are required. */
  parameters?: unknown
}

type QuotingContext = ModelContext & Pick<Context, 'clock' | 'config'>

/**
 * Returns the price that a request would have now, with its terms. It is calculated as for a charge. Throws
 * `model_not_found`, `validation_failed` for invalid counts, and for invalid parameters the errors of an inference request.
 */
export async function quotePrice(
  context: QuotingContext,
  { model, visibility, ...request }: QuotedRequest & { visibility: Visibility },
): Promise<Explanation> {
  const record = await findModel(context, { id: model, ...visibility })
  if (!record) throw new Problem('model_not_found', { param: 'model' })
  const { entry } = record
  return entry.modality === 'chat'
    ? quoteChat(context, entry, request)
    : quoteMedia(context, { ...record, entry }, request)
}

type Request = Omit<QuotedRequest, 'model'>

function quoteChat({ clock }: QuotingContext, entry: ChatEntry, { usage, serviceTier, parameters }: Request) {
  const counts = {
    promptTokens: 0,
    cachedTokens: 0,
    cacheCreationTokens: 0,
    completionTokens: 0,
    images: 0,
    ...usage,
  }
  const tiers = entry.prices.service_tiers ?? []
  checkAll(
    ...Object.entries(counts).map(
      ([name, count]) =>
        () =>
          checkCount(name, count),
    ),
    () => {
      if (counts.cachedTokens + counts.cacheCreationTokens > counts.promptTokens)
        refuseParam('promptTokens', 'must be at least cachedTokens and cacheCreationTokens together')
    },
    () => {
      if (serviceTier !== undefined && !tiers.some(({ tier }) => tier === serviceTier))
        refuseParam('serviceTier', 'must be a service tier of the model')
    },
    () => {
      if (parameters !== undefined) refuseParam('parameters', 'must be omitted for a chat model')
    },
  )
  const price = compilePeriods(periodsOf(entry.prices), period => compileChatPrice(entry.prices, period))(
    clock,
  )
  return price.explain({ ...counts, requestedTier: serviceTier, reportedTier: serviceTier })
}

function checkCount(name: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0 || count > maxCount)
    refuseParam(name, `must be a whole number from 0 to ${maxCount}`)
}

function quoteMedia(
  { clock, config }: QuotingContext,
  record: ModelRecord & { entry: MediaEntry },
  { usage, serviceTier, parameters = {} }: Request,
) {
  const { entry } = record
  for (const name of [...Object.keys(usage), ...(serviceTier === undefined ? [] : ['serviceTier'])])
    refuseParam(name, 'must be omitted for a model that is not a chat model')
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
    refuseParam('parameters', 'must be an object')
  const checked = nameParameter(() => checkOf(record, config)({ ...parameters }))
  const price = compilePeriods(periodsOf(entry.prices), period => compileMediaPrice(entry, period))(clock)
  return price.explain(checked)
}

/** Runs the check of parameters, whose errors name a parameter of the model, and adds the path to it. */
function nameParameter(check: () => CheckedParameters): CheckedParameters {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Problem) || error.details.param === undefined) throw error
    throw new Problem(error.errorName, { ...error.details, param: `parameters.${error.details.param}` })
  }
}

type Check = (given: Readonly<Record<string, unknown>>) => CheckedParameters

/** The compiled checks. A change of a model creates a new record. */
const checks = new WeakMap<CatalogueEntry, Check>()

/** Compiles the check of a model's parameters, of which only those with a price are required. */
function checkOf({ entry }: { entry: MediaEntry }, config: Context['config']): Check {
  const known = checks.get(entry)
  if (known) return known
  const priced = new Set(pricedParameters(entry))
  // Without `anyOf`, which requires one of several parameters.
  const { type, properties, additionalProperties, required: all } = entry.parameters
  const required = all.filter(name => priced.has(name))
  const parameters = { type, properties, additionalProperties, required }
  const check = compileParameters({ validator: openValidator(config) }, { parameters })
  checks.set(entry, check)
  return check
}
