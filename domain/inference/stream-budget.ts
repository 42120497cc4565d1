import type { Usage } from '../../schema/usage.ts'
import { answerTimeoutMs } from '../ledger/ledger.ts'
import type { ChatModel } from '../models/model-cache.ts'
import { type Admission, affordableTokens, costOf, outputTokensOf } from './admit-chat.ts'
import { recheckKey } from './check-key-and-rate.ts'
import { type Produced, scale, thoughtTokens } from './estimate-usage.ts'
import type { Inference } from './open-inference.ts'
import { countPrompt } from './tokens/prompt-tokens.ts'

/** The limit of a stream: the requested maximum, and the held amount. */
export interface StreamBudget {
  /**
   * Whether the answer may continue. Called after every read and at every keep-alive. Mostly known without a wait, and then
   * not a promise: it is called for every chunk.
   */
  mayContinue(): boolean | Promise<boolean>
}

/** Tolerance above an answer's maximum, since its tokens are measured and not counted: a factor, and tokens. */
const overrun = 1.25
const overrunTokens = 16

/** Minimum growth of a reservation, in tokens. */
const minGrowth = 64

/** Minimum tokens between two counts of an answer. */
const minStep = 8

/**
 * Opens the budget of a stream by `model`. A reservation for a typical answer doubles when half of it is used, so that
 * chunks rarely wait for its growth. If it cannot grow, the held amount is the limit. An ordinary answer is never
 * tokenized here: cheap bounds show that it is far from its limit.
 */
export function openStreamBudget(
  inference: Inference,
  admission: Admission,
  { model, produced, reported }: { model: ChatModel; produced: Produced; reported: () => Usage | undefined },
): StreamBudget {
  const { entry } = model
  const { transcript } = produced
  const { allowed, request, choices, reservation } = admission
  const { clock, log } = inference.context
  const allowedTokens = outputTokensOf(admission, model) * choices
  const maxSaid = allowedTokens * overrun + overrunTokens
  const mayThink = entry.chat.reasoning !== undefined
  const held = () => affordableTokens(admission, model) ?? 0
  let heldTokens = reservation && admission.grows ? held() : allowedTokens
  let limit: 'grows' | 'money' | 'maximum' = heldTokens < allowedTokens ? 'grows' : 'maximum'
  let nextCheckTokens = limit === 'maximum' ? maxSaid : 0
  let growing: Promise<void> | undefined
  let promptTokens: number | undefined

  const thoughts = () =>
    mayThink
      ? thoughtsSoFar({ entry, request, produced, reported: reported() }, clock.monotonic())
      : produced.thoughts.minTokens
  const grow = async (tokens: number) => {
    if (!reservation) return
    const wanted = Math.min(allowedTokens, Math.ceil(Math.max(heldTokens * 2, tokens * 3)))
    const costNanos = (output: number) => costOf(admission, model, output) - reservation.amountNanos
    const moreNanos = costNanos(wanted)
    try {
      const minimumNanos = costNanos(heldTokens + minGrowth)
      await recheckKey(inference, allowed, { leftMs: answerTimeoutMs })
      const keyRevision = allowed.key.revision
      const amounts = { moreNanos, minimumNanos }
      const added = await inference.ledger.extend(reservation, { keyRevision, ...amounts })
      if (added < moreNanos) limit = 'money'
    } catch (error) {
      log.warn({ err: error }, 'a reservation could not grow')
      limit = 'money'
    }
    heldTokens = held()
    if (limit === 'grows' && heldTokens >= allowedTokens) limit = 'maximum'
    nextCheckTokens = limit === 'maximum' ? maxSaid : 0
  }
  const growIfNeeded = (): boolean | Promise<boolean> => {
    const tokens = transcript.maxTokens + thoughts()
    if (tokens < heldTokens / 2) return true
    growing ??= grow(tokens).finally(() => {
      growing = undefined
    })
    return tokens < heldTokens ? true : growing.then(mayContinue)
  }
  /** Counts the text and the visible thoughts; the hidden thoughts too if money is the limit. */
  const measure = async () => {
    const said = scale(entry, await transcript.count(inference.tokenizer))
    if (limit === 'money') return Math.max(said + thoughts(), reported()?.completionTokens ?? 0)
    return said + scale(entry, await produced.thoughts.count(inference.tokenizer))
  }
  const measureAgain = async () => {
    if (limit === 'money') {
      promptTokens ??=
        reported()?.promptTokens || scale(entry, await countPrompt(inference.tokenizer, request))
    }
    const maxTokens = limit === 'money' ? (affordableTokens(admission, model, promptTokens) ?? 0) : maxSaid
    const tokens = await measure()
    nextCheckTokens = bound() + Math.max(minStep, maxTokens - tokens)
    return tokens < maxTokens
  }
  const bound = () =>
    limit === 'money' ? transcript.maxTokens + thoughts() : transcript.minTokens + produced.thoughts.minTokens
  const mayContinue = (): boolean | Promise<boolean> => {
    if (limit === 'grows') return growIfNeeded()
    return bound() < nextCheckTokens ? true : measureAgain()
  }
  return { mayContinue }
}

/** Returns the tokens of thought so far: the reported number, or the estimate if it is larger. */
function thoughtsSoFar(estimated: Parameters<typeof thoughtTokens>[0], now: number): number {
  const { produced, reported } = estimated
  const known = {
    promptTokens: reported?.promptTokens ?? 0,
    saidTokens: produced.transcript.minTokens,
    shownTokens: produced.thoughts.minTokens,
    now,
  }
  return Math.max(thoughtTokens(estimated, known), reported?.reasoningTokens ?? 0)
}
