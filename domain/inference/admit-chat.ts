import { Problem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { KeyCopy } from '../keys/key-copy.ts'
import type { Reservation } from '../ledger/hold.ts'
import { reserve } from '../ledger/reserve.ts'
import type { ChatModel } from '../models/model-book.ts'
import { type Allowed, checkKeyAndRate } from './check-key-and-rate.ts'
import { boundPrompt, boundTokens, estimateTokens, measurePrompt, type PromptSize } from './count-prompt.ts'
import type { Inference } from './open-inference.ts'

/** A chat request that may run: its key stands and it is within its rates. Money is held by `holdChat`. */
export interface Admission {
  allowed: Allowed
  /** The model asked for, then those that may answer in its place. */
  models: ChatModel[]
  request: ChatRequest
  /** The prompt's bounds: by the body's length, or measured where money was short. */
  prompt: PromptSize
  choices: number
  /** The most that the answer may have, in tokens, all choices together. */
  askedTokens: number
  /** What it may cost, once held. */
  reservation: Reservation | undefined
}

/** An answer of so many tokens is worth starting, where the balance cannot cover what was asked for. */
const smallAnswerTokens = 16

/**
 * Admits a chat request, which came in a body of so many bytes: model, then rates. Throws `model_not_found`,
 * `rate_limit_exceeded`, and what `identify` throws where the key changed meanwhile.
 */
export async function admitChat(
  inference: Inference,
  key: KeyCopy,
  { request, bodyBytes }: { request: ChatRequest; bodyBytes: number },
  door: { clientAddress: string; tell(headers: Record<string, string>): void },
): Promise<Admission> {
  const model = inference.models.chat(request.model)
  const { max_choices, max_output_tokens, default_output_tokens } = model.entry.chat
  const choices = request.n ?? 1
  if (choices > max_choices) {
    throw new Problem('unsupported_parameter', { param: 'n', message: `n must be at most ${max_choices}.` })
  }
  const named = request.max_completion_tokens ?? request.max_tokens
  const askedTokens = Math.min(named ?? default_output_tokens, max_output_tokens) * choices
  const countsTokens = key.tph !== null || key.tpd !== null
  const tokens = countsTokens ? estimateTokens(measurePrompt(request)) + (named ? askedTokens : 0) : 0
  const allowed = await checkKeyAndRate(inference, key, { tokens, ...door })
  const models = [model, ...inference.models.fallbacks(model)]
  const prompt = boundPrompt(request, bodyBytes)
  return { allowed, models, request, prompt, choices, askedTokens, reservation: undefined }
}

/**
 * Holds what an admitted request may cost at most on the dearest of its models, once. The body's length bounds the
 * prompt; where balance or cap cannot cover that, the prompt is measured, and where they cover only it and a small
 * answer, the hold takes what is there (decisions: price before it ran). Throws `insufficient_credits`,
 * `credit_limit_reached`, `unavailable`.
 */
export async function holdChat(inference: Inference, admission: Admission): Promise<Reservation> {
  const { accountId, keyId } = admission.allowed.key
  admission.reservation ??= await reserve(inference.ledger, {
    accountId,
    keyId,
    ...amountsOf(admission),
    whenShort() {
      admission.prompt = measurePrompt(admission.request)
      return amountsOf(admission)
    },
  })
  return admission.reservation
}

/** The most that one choice of an answer by `model` may have, in tokens: what was asked for, or what is held for. */
export function outputTokensOf(admission: Admission, model: ChatModel): number {
  const { reservation, prompt, askedTokens, choices } = admission
  const most = Math.min(askedTokens, model.entry.chat.max_output_tokens * choices)
  if (!reservation) return Math.ceil(most / choices)
  const affordable = model.price.affordableOutput(boundsOf(prompt, model), reservation.amountNanos)
  return Math.max(1, Math.floor(Math.min(most, affordable ?? smallOf(admission)) / choices))
}

/** What it may cost at most, and what is enough to begin with. */
function amountsOf(admission: Admission) {
  const { models, prompt, askedTokens } = admission
  const costOf = (outputTokens: number) =>
    dearest(models.map(model => model.price.estimate({ ...boundsOf(prompt, model), outputTokens })))
  return { amountNanos: costOf(askedTokens), minimumNanos: costOf(smallOf(admission)) }
}

/** A model takes no prompt that is longer than its context. */
function boundsOf(prompt: PromptSize, { entry }: ChatModel) {
  return { promptTokens: Math.min(boundTokens(prompt), entry.chat.context_tokens), images: prompt.images }
}

function smallOf({ askedTokens, choices }: Admission): number {
  return Math.min(askedTokens, smallAnswerTokens * choices)
}

function dearest(amountsNanos: bigint[]): bigint {
  return amountsNanos.reduce((most, amount) => (amount > most ? amount : most))
}
