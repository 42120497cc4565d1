import { Problem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { KeyCopy } from '../keys/key-copy.ts'
import type { Reservation } from '../ledger/hold.ts'
import { reserve } from '../ledger/reserve.ts'
import type { ChatModel } from '../models/model-book.ts'
import { type Allowed, checkKeyAndRate } from './check-key-and-rate.ts'
import { boundTokens, measurePrompt, type PromptSize } from './count-prompt.ts'
import type { Inference } from './open-inference.ts'

/** A chat request that may run: its key stands, it is within its rates, and its money is held. */
export interface Admission {
  allowed: Allowed
  model: ChatModel
  prompt: PromptSize
  /** The most that the answer may have, in tokens, all choices together. */
  outputTokens: number
  reservation: Reservation
}

/** An answer of so many tokens is worth starting, where the balance cannot cover what was asked for. */
const smallAnswerTokens = 16

/**
 * Admits a chat request: model, rates, then the hold of what it may cost at most. Where balance or cap cover only
 * the prompt and a small answer, the hold takes what is there and `outputTokens` is smaller (decisions: price
 * before it ran). Throws `model_not_found`, `rate_limit_exceeded`, `insufficient_credits`, `credit_limit_reached`,
 * and what `identify` throws where the key changed meanwhile.
 */
export async function admitChat(
  inference: Inference,
  key: KeyCopy,
  request: ChatRequest,
  tell: (headers: Record<string, string>) => void,
): Promise<Admission> {
  const model = inference.models.chat(request.model)
  const { flags, price } = { flags: model.entry.chat, price: model.price }
  if ((request.n ?? 1) > flags.max_choices) {
    throw new Problem('unsupported_parameter', {
      param: 'n',
      message: `n must be at most ${flags.max_choices}.`,
    })
  }
  const prompt = measurePrompt(request)
  const bounds = { promptTokens: boundTokens(prompt), images: prompt.images }
  const named = request.max_completion_tokens ?? request.max_tokens
  const choices = request.n ?? 1
  const asked = Math.min(named ?? flags.default_output_tokens, flags.max_output_tokens) * choices

  const tokens = bounds.promptTokens + (named ? asked : 0)
  const allowed = await checkKeyAndRate(inference, key, { tokens, tell })
  const small = Math.min(asked, smallAnswerTokens * choices)
  const reservation = await reserve(inference.ledger, {
    accountId: key.accountId,
    keyId: key.keyId,
    amountNanos: price.estimate({ ...bounds, outputTokens: asked }),
    minimumNanos: price.estimate({ ...bounds, outputTokens: small }),
  })
  const affordable = price.affordableOutput(bounds, reservation.amountNanos) ?? small
  return { allowed, model, prompt, reservation, outputTokens: Math.max(small, Math.min(asked, affordable)) }
}
