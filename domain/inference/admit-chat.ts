import { Problem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import type { Reservation } from '../ledger/hold.ts'
import { isShort, reserve, reserveAtOnce } from '../ledger/reserve.ts'
import type { ChatModel, ChatTask } from '../models/model-cache.ts'
import { type Allowed, countsTokens, payerOf } from './check-key-and-rate.ts'
import { boundPrompt, boundTokens, estimateTokens, measurePrompt, type PromptSize } from './count-prompt.ts'
import type { Inference } from './open-inference.ts'
import { requireConfirmed } from './require-confirmed.ts'
import { countPrompt } from './tokens/prompt-tokens.ts'

/** What a chat request asks for. */
export interface ChatDemand {
  /** The model asked for. */
  model: ChatModel
  /** Size of the request's body with its images, in bytes. */
  bodyBytes: number
  /** The prompt's bounds: by the body's length, or measured where money was short. */
  prompt: PromptSize
  /** Measures the prompt, once: that reads all of it. */
  measure(): PromptSize
  request: ChatRequest
  choices: number
  /** The most that the client lets a choice have, in tokens; undefined where it names no maximum. */
  namedTokens: number | undefined
  /** Prompt and answer together, for the windows of its key; zero where these count none. */
  rateTokens: number
}

/** A chat request that may run: its key stands and it is within its rates. Money is held by `holdChat`. */
export interface Admission extends ChatDemand {
  allowed: Allowed
  /** The model asked for, then those that may answer in its place. */
  models: ChatModel[]
  /** What it may cost, once held. */
  reservation: Reservation | undefined
  /** The reservation is for a typical answer, and grows with one that is longer. */
  grows: boolean
}

/** An answer of so many tokens is worth starting, where the balance cannot cover what was asked for. */
const smallAnswerTokens = 16

/** A prompt may have so many times the tokens that it seems to have. */
const promptMargin = 1.3

/** For the sake of a shorter text, in bytes, no tokenizer is asked: a token a byte is little money. */
const minCountedBytes = 1_024

/**
 * Reads what a chat request asks for, which came in a body of so many bytes. Throws `model_not_found`, and
 * `unsupported_parameter` for more choices than the model gives.
 */
export function readDemand(
  inference: Inference,
  key: CachedKey,
  { request, bodyBytes, task }: { request: ChatRequest; bodyBytes: number; task?: ChatTask | undefined },
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
  return {
    model,
    bodyBytes,
    prompt: boundPrompt(request, bodyBytes),
    measure,
    request,
    choices,
    namedTokens,
    rateTokens: countsTokens(key) ? estimateTokens(measure()) + answerTokens : 0,
  }
}

/** Admits a request that its key and its rates allow. */
export function admitChat(inference: Inference, demand: ChatDemand, allowed: Allowed): Admission {
  const models = [demand.model, ...inference.models.fallbacks(demand.model)]
  return { ...demand, allowed, models, reservation: undefined, grows: false }
}

/**
 * Holds what an admitted request may cost at most on the dearest of its models, once; of a stream that names
 * no maximum what a typical answer costs, which grows as it is produced. The body's length bounds the prompt;
 * where balance or cap cannot cover that, the prompt is measured, then counted by a tokenizer; and where they
 * cover only it and a small answer, the hold takes what is there (docs/behaviour.md, Money). Throws
 * `insufficient_credits`, `credit_limit_reached`, `email_not_confirmed`, `unavailable`.
 */
export function holdChat(inference: Inference, admission: Admission): Reservation | Promise<Reservation> {
  requireConfirmed(inference.context.config, admission.allowed.key)
  return admission.reservation ?? holdAtOnce(inference, admission) ?? holdPatiently(inference, admission)
}

/** Holds it where the key's hold has the headroom: nothing is waited for. */
function holdAtOnce({ ledger }: Inference, admission: Admission): Reservation | undefined {
  const amountNanos = firstCostOf(admission)
  const reservation = reserveAtOnce(ledger, { ...payerOf(admission.allowed), amountNanos })
  if (!reservation) return undefined
  admission.reservation = reservation
  admission.grows = startsSmall(admission)
  return reservation
}

async function holdPatiently(inference: Inference, admission: Admission): Promise<Reservation> {
  try {
    const { reservation, isWhole } = await hold(inference, admission)
    // What the text is held for too much, the answer may have.
    if (!isWhole) await countText(inference, admission)
    return reservation
  } catch (error) {
    if (!isShort(error) || !(await countText(inference, admission))) throw error
    return (await hold(inference, admission)).reservation
  }
}

/** Holds what the prompt is bounded to; tells whether that is all that was asked for. */
async function hold({ ledger }: Inference, admission: Admission) {
  let amounts = amountsOf(admission)
  const reservation = await reserve(ledger, {
    ...payerOf(admission.allowed),
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
  return { reservation, isWhole }
}

/** Bounds the prompt's text by a tokenizer. Resolves to false where that is no closer, or is not worth the work. */
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
 * The most that one choice of an answer by `model` may have, in tokens: what the client or the model allows, and no
 * more than is held for, unless the reservation grows.
 */
export function outputTokensOf(admission: Admission, model: ChatModel): number {
  const { reservation, choices, grows } = admission
  const most = maxTokensOf(admission, model)
  if (!reservation || grows) return most
  const affordable = affordableTokens(admission, model)
  return Math.max(
    1,
    Math.floor(Math.min(most * choices, affordable ?? smallAnswerTokens * choices) / choices),
  )
}

/** Output tokens of all choices together that the reservation pays for; undefined where it does not pay the prompt. */
export function affordableTokens(
  { prompt, reservation }: Admission,
  model: ChatModel,
  promptTokens = boundsOf(prompt, model).promptTokens,
): number | undefined {
  const bounds = { promptTokens, images: prompt.images }
  return model.price.affordableOutput(bounds, reservation?.amountNanos ?? 0n)
}

/** Nano-dollars of the whole prompt and so many output tokens, at most. */
export function costOf({ prompt }: Admission, model: ChatModel, outputTokens: number): bigint {
  return model.price.estimate({ ...boundsOf(prompt, model), outputTokens })
}

/** What it may cost at most, or at first, and what is enough to begin with. */
function amountsOf(admission: Admission) {
  return {
    amountNanos: firstCostOf(admission),
    minimumNanos: firstCostOf(admission, smallAnswerTokens),
  }
}

/** What it may cost at most, or at first, on the dearest of its models, with choices of at most so many tokens. */
function firstCostOf(admission: Admission, maxTokens = Number.POSITIVE_INFINITY): bigint {
  const { models, choices } = admission
  let most = 0n
  for (const model of models) {
    const tokens = Math.min(firstTokensOf(admission, model), maxTokens)
    const cost = costOf(admission, model, tokens * choices)
    if (cost > most) most = cost
  }
  return most
}

function firstTokensOf(admission: Admission, model: ChatModel): number {
  const tokens = maxTokensOf(admission, model)
  return startsSmall(admission) ? Math.min(tokens, model.entry.chat.default_output_tokens) : tokens
}

function startsSmall({ request, namedTokens }: Admission): boolean {
  return request.stream === true && namedTokens === undefined
}

/** What the client allows, else all that the model can say after such a prompt: vendors refuse to be asked for more. */
function maxTokensOf({ namedTokens, prompt, measure }: Admission, { entry }: ChatModel): number {
  const { max_output_tokens: most, context_tokens: context, default_output_tokens: typical } = entry.chat
  if (namedTokens !== undefined) return Math.min(namedTokens, most)
  const room = context - boundTokens(prompt)
  if (room >= most) return most
  const probably = context - Math.ceil(estimateTokens(measure()) * promptMargin)
  return Math.min(most, Math.max(room, probably, typical))
}

/** A model takes no prompt that is longer than its context. */
function boundsOf(prompt: PromptSize, { entry }: ChatModel) {
  return { promptTokens: Math.min(boundTokens(prompt), entry.chat.context_tokens), images: prompt.images }
}
