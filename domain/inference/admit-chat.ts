import { Problem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { KeyCopy } from '../keys/key-copy.ts'
import type { Reservation } from '../ledger/hold.ts'
import { reserve } from '../ledger/reserve.ts'
import type { ChatModel } from '../models/model-book.ts'
import { type Allowed, checkKeyAndRate } from './check-key-and-rate.ts'
import { boundTokens, measurePrompt, type PromptSize } from './count-prompt.ts'
import type { Inference } from './open-inference.ts'

/** A chat request that may run: its key stands and it is within its rates. Money is held by `holdChat`. */
export interface Admission {
  allowed: Allowed
  /** The model asked for, then those that may answer in its place. */
  models: ChatModel[]
  prompt: PromptSize
  /** Tokens that the prompt hardly exceeds. */
  promptTokens: number
  choices: number
  /** The most that the answer may have, in tokens, all choices together. */
  askedTokens: number
  /** What it may cost, once held. */
  reservation: Reservation | undefined
}

/** An answer of so many tokens is worth starting, where the balance cannot cover what was asked for. */
const smallAnswerTokens = 16

/**
 * Admits a chat request: model, then rates. Throws `model_not_found`, `rate_limit_exceeded`, and what `identify`
 * throws where the key changed meanwhile.
 */
export async function admitChat(
  inference: Inference,
  key: KeyCopy,
  request: ChatRequest,
  door: { clientAddress: string; tell(headers: Record<string, string>): void },
): Promise<Admission> {
  const model = inference.models.chat(request.model)
  const { max_choices, max_output_tokens, default_output_tokens } = model.entry.chat
  const choices = request.n ?? 1
  if (choices > max_choices) {
    throw new Problem('unsupported_parameter', { param: 'n', message: `n must be at most ${max_choices}.` })
  }
  const prompt = measurePrompt(request)
  const promptTokens = boundTokens(prompt)
  const named = request.max_completion_tokens ?? request.max_tokens
  const askedTokens = Math.min(named ?? default_output_tokens, max_output_tokens) * choices
  const tokens = promptTokens + (named ? askedTokens : 0)
  const allowed = await checkKeyAndRate(inference, key, { tokens, ...door })
  const models = [model, ...inference.models.fallbacks(model)]
  return { allowed, models, prompt, promptTokens, choices, askedTokens, reservation: undefined }
}

/**
 * Holds what an admitted request may cost at most on the dearest of its models, once. Where balance or cap cover
 * only the prompt and a small answer, the hold takes what is there (decisions: price before it ran). Throws
 * `insufficient_credits`, `credit_limit_reached`, `unavailable`.
 */
export async function holdChat(inference: Inference, admission: Admission): Promise<Reservation> {
  const { allowed, models, prompt, promptTokens, askedTokens } = admission
  const small = smallOf(admission)
  const costOf = (outputTokens: number) =>
    dearest(models.map(({ price }) => price.estimate({ promptTokens, images: prompt.images, outputTokens })))
  admission.reservation ??= await reserve(inference.ledger, {
    accountId: allowed.key.accountId,
    keyId: allowed.key.keyId,
    amountNanos: costOf(askedTokens),
    minimumNanos: costOf(small),
  })
  return admission.reservation
}

/** The most that one choice of an answer by `model` may have, in tokens: what was asked for, or what is held for. */
export function outputTokensOf(admission: Admission, model: ChatModel): number {
  const { reservation, prompt, promptTokens, askedTokens, choices } = admission
  const most = Math.min(askedTokens, model.entry.chat.max_output_tokens * choices)
  if (!reservation) return Math.ceil(most / choices)
  const bounds = { promptTokens, images: prompt.images }
  const affordable = model.price.affordableOutput(bounds, reservation.amountNanos) ?? smallOf(admission)
  return Math.max(1, Math.floor(Math.min(most, affordable) / choices))
}

function smallOf({ askedTokens, choices }: Admission): number {
  return Math.min(askedTokens, smallAnswerTokens * choices)
}

function dearest(amountsNanos: bigint[]): bigint {
  return amountsNanos.reduce((most, amount) => (amount > most ? amount : most))
}
