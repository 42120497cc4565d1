import { Problem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import type { Reservation } from '../ledger/hold.ts'
import { isShort } from '../ledger/reserve.ts'
import type { ChatModel, ChatTask } from '../models/model-cache.ts'
import { allowedModels } from './allowed-models.ts'
import { countsTokens, findPayer, type Payer, type Paying } from './check-key-and-rate.ts'
import { boundPrompt, boundTokens, estimateTokens, measurePrompt, type PromptSize } from './count-prompt.ts'
import type { Inference } from './open-inference.ts'
import { mayUseCredits, requireConfirmed } from './require-confirmed.ts'
import { chooseModels, hasChoice, type RouteLimit } from './routes/choose-models.ts'
import type { RoutingPreferences } from './routes/read-preferences.ts'
import { countPrompt } from './tokens/prompt-tokens.ts'

/** A chat request with the figures that rates and price need. */
export interface ChatDemand {
  /** The requested model. */
  model: ChatModel
  /** The models with which the request is tried, in order: the requested one and its fallbacks, unless it has preferences. */
  models: ChatModel[]
  /** How many of them are tried; undefined for all. */
  limit: RouteLimit | undefined
  /** The reason for the order of the requested model's vendors; undefined if one vendor serves it. */
  reason: string | undefined
  /** Size of the request's body with its images, in bytes. */
  bodyBytes: number
  /** The bounds of the prompt: by the body's length, or measured if that costs more than is available. */
  prompt: PromptSize
  /** Measures the prompt, which reads all of it. Measures only once. */
  measure(): PromptSize
  request: ChatRequest
  choices: number
  /** The client's maximum for a choice, in tokens; undefined if the client sets none. */
  namedTokens: number | undefined
  /** Tokens of prompt and answer together, for the windows of the key; zero if these count no tokens. */
  rateTokens: number
}

/** A chat request that its key and its rates allow. Its money is held with the check of its rates, or by `holdChat`. */
export interface Admission extends ChatDemand, Paying {
  /** The held maximum cost; undefined before it is held. */
  reservation: Reservation | undefined
  /** Whether the reservation is for a typical answer, and grows if the answer is longer. */
  grows: boolean
}

/** Minimum tokens that the balance must cover for an answer to start, if it does not cover the requested maximum. */
const smallAnswerTokens = 16

/** Maximum ratio of a prompt's real tokens to its estimate. */
const promptMargin = 1.3

/** Minimum length of a prompt that is tokenized, in bytes. A shorter prompt costs little even at a token per byte. */
const minCountedBytes = 1_024

/** A chat request that was read, before its figures are known. */
export interface ReadChat {
  request: ChatRequest
  bodyBytes: number
  /** The required task of the model; chat if undefined. */
  task?: ChatTask | undefined
  /** The client's preferences about models and vendors. */
  preferences?: RoutingPreferences | undefined
}

/**
 * Returns the amounts that a chat request needs of rates and money. Throws `model_not_found`, `unsupported_parameter`
 * for more choices than the model allows, and the errors of `chooseModels`.
 */
export function readDemand(
  inference: Inference,
  key: CachedKey,
  { request, bodyBytes, task, preferences }: ReadChat,
): ChatDemand {
  const model = inference.models.chat(request.model, task)
  const { max_choices, max_output_tokens } = model.entry.chat
  const choices = request.n ?? 1
  if (choices > max_choices) {
    throw new Problem('unsupported_parameter', { param: 'n', message: `n must be at most ${max_choices}.` })
  }
  const namedTokens = request.max_completion_tokens ?? request.max_tokens ?? undefined
  let measured: PromptSize | undefined
  const measure = () => {
    measured ??= measurePrompt(request)
    return measured
  }
  const answerTokens = namedTokens ? Math.min(namedTokens, max_output_tokens) * choices : 0
  const prompt = boundPrompt(request, bodyBytes)
  const fallbacks = inference.models.fallbacks(model)
  const chosen = hasChoice(model, fallbacks, preferences)
    ? chooseModels(inference, {
        ...{ model, fallbacks, request, namedTokens, preferences },
        promptTokens: promptTokensOf(prompt, model.entry),
      })
    : undefined
  return {
    model,
    models: chosen?.models ?? [model, ...fallbacks],
    limit: chosen?.limit,
    reason: chosen?.reason,
    bodyBytes,
    prompt,
    measure,
    request,
    choices,
    namedTokens,
    rateTokens: countsTokens(key) ? estimateTokens(measure()) + answerTokens : 0,
  }
}

/**
 * Returns the amount that can be reserved with the rate check, before the models that are called are known. Undefined if
 * the account may pay with its own credentials or has budgets, or if the request may be refused before its money is held.
 */
export function amountWithCheck(
  { context: { config } }: Inference,
  key: CachedKey,
  demand: ChatDemand,
): bigint | undefined {
  const isPlain = key.budgetRevision === 0n && key.byokRevision === 0n && !key.modelRules
  return isPlain && mayUseCredits(config, key) ? firstCostOf(demand) : undefined
}

/** Admits a request that its key and its rates allow, with the models that the key's lists include. */
export function admitChat(inference: Inference, demand: ChatDemand, { allowed, labels }: Paying): Admission {
  const models = allowedModels(inference, allowed.key, demand.models)
  const { reservation } = allowed
  const grows = reservation !== undefined && startsSmall(demand)
  return { ...demand, allowed, labels, models, reservation, grows }
}

/**
 * Holds the maximum cost of an admitted request on the most expensive of its models, once. A stream without a maximum
 * starts with the cost of a typical answer, and its hold grows. The prompt is bounded by the body's length. If balance,
 * cap or a budget do not cover that, the prompt is measured, then counted by a tokenizer. If they cover only the prompt
 * and a small answer, all that is available is held (docs/behaviour.md, Money). Throws `insufficient_credits`,
 * `credit_limit_reached`, `budget_limit_reached`, `email_not_confirmed`, `unavailable`. Returns undefined if nothing is to be
 * awaited.
 */
export function holdChat(inference: Inference, admission: Admission): Promise<void> | undefined {
  requireConfirmed(inference.context.config, admission.allowed.key)
  return admission.reservation ? undefined : holdPatiently(inference, admission)
}

async function holdPatiently(inference: Inference, admission: Admission): Promise<void> {
  const payer = await findPayer(inference, admission)
  try {
    const isWhole = await hold(inference, admission, payer)
    // The answer may use the part of the hold that the text turns out not to need.
    if (!isWhole) await countText(inference, admission)
  } catch (error) {
    if (!isShort(error) || !(await countText(inference, admission))) throw error
    await hold(inference, admission, payer)
  }
}

/** Holds the cost by the prompt's bounds. Resolves to whether the full amount is held. */
async function hold({ ledger }: Inference, admission: Admission, payer: Payer): Promise<boolean> {
  let amounts = amountsOf(admission)
  const reservation = await ledger.reserve({
    ...payer,
    ...amounts,
    whenShort() {
      admission.prompt = { ...admission.measure(), textTokens: admission.prompt.textTokens }
      amounts = amountsOf(admission)
      return amounts
    },
  })
  const isWhole = reservation.amountNanos >= amounts.amountNanos
  admission.reservation = reservation
  admission.grows = startsSmall(admission) && isWhole
  return isWhole
}

/** Bounds the prompt's text by a tokenizer. Resolves to false if the bound is no lower, or the text is too short. */
async function countText({ tokenizer }: Inference, admission: Admission): Promise<boolean> {
  const size = admission.measure()
  if (size.isOpen || size.bytes < minCountedBytes) return false
  const perHundred = Math.max(...admission.models.map(({ entry }) => entry.chat.tokens_per_hundred))
  const counted = await countPrompt(tokenizer, admission.request)
  const textTokens = Math.ceil((counted * promptMargin * perHundred) / 100)
  admission.prompt = { ...size, textTokens }
  return textTokens < size.bytes
}

/**
 * Returns the maximum of one choice of an answer by `model`, in tokens: the limit of the client or the model, and the held
 * amount unless the reservation grows.
 */
export function outputTokensOf(admission: Admission, model: ChatModel): number {
  const { reservation, choices, grows } = admission
  const max = maxTokensOf(admission, model)
  if (!reservation || grows) return max
  const affordable = affordableTokens(admission, model)
  return Math.max(1, Math.floor(Math.min(max * choices, affordable ?? smallAnswerTokens * choices) / choices))
}

/** Returns the output tokens of all choices that the reservation pays for; undefined if it does not cover the prompt. */
export function affordableTokens(
  admission: Admission,
  model: ChatModel,
  promptTokens?: number,
): number | undefined {
  const { reservation } = admission
  const bounds = boundsOf(admission, model)
  if (promptTokens !== undefined) bounds.promptTokens = promptTokens
  return model.price.affordableOutput(bounds, reservation?.amountNanos ?? 0n)
}

/** Returns the maximum cost of the whole prompt and the given output tokens, in nano-dollars. */
export function costOf(demand: ChatDemand, model: ChatModel, outputTokens: number): bigint {
  return model.price.estimate({ ...boundsOf(demand, model), outputTokens })
}

/** Returns the amount to hold first, and the minimum with which the request may start. */
function amountsOf(admission: Admission) {
  return {
    amountNanos: firstCostOf(admission),
    minimumNanos: firstCostOf(admission, smallAnswerTokens),
  }
}

/** Returns the amount to hold first on the most expensive model, with choices of at most `maxTokens`. */
function firstCostOf(demand: ChatDemand, maxTokens = Number.POSITIVE_INFINITY): bigint {
  const { models, choices } = demand
  let max = 0n
  for (const model of models) {
    const tokens = Math.min(firstTokensOf(demand, model), maxTokens)
    const cost = costOf(demand, model, tokens * choices)
    if (cost > max) max = cost
  }
  return max
}

function firstTokensOf(demand: ChatDemand, model: ChatModel): number {
  const tokens = maxTokensOf(demand, model)
  return startsSmall(demand) ? Math.min(tokens, model.entry.chat.default_output_tokens) : tokens
}

function startsSmall({ request, namedTokens }: ChatDemand): boolean {
  return request.stream === true && namedTokens === undefined
}

/** Returns the client's maximum, or all that fits the model's context after the prompt: vendors refuse a larger one. */
function maxTokensOf({ namedTokens, prompt, measure }: ChatDemand, { entry }: ChatModel): number {
  const { max_output_tokens: max, context_tokens: context, default_output_tokens: typical } = entry.chat
  if (namedTokens !== undefined) return Math.min(namedTokens, max)
  const room = context - boundTokens(prompt)
  if (room >= max) return max
  const probably = context - Math.ceil(estimateTokens(measure()) * promptMargin)
  return Math.min(max, Math.max(room, probably, typical))
}

/** Returns the most tokens that a prompt may have: at most the model's context. */
function promptTokensOf(prompt: PromptSize, { chat }: ChatModel['entry']): number {
  return Math.min(boundTokens(prompt), chat.context_tokens)
}

/** Returns the bounds of the prompt, at most the model's context, and the requested service tier. */
function boundsOf({ prompt, request }: ChatDemand, { entry }: ChatModel) {
  return {
    promptTokens: promptTokensOf(prompt, entry),
    images: prompt.images,
    requestedTier: request.service_tier ?? undefined,
  }
}
