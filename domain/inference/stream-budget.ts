import type { Usage } from '../../schema/usage.ts'
import { extendReservation } from '../ledger/extend-reservation.ts'
import { answerTimeoutMs } from '../ledger/ledger.ts'
import type { ChatModel } from '../models/model-cache.ts'
import { type Admission, affordableTokens, costOf, outputTokensOf } from './admit-chat.ts'
import { recheckKey } from './check-key-and-rate.ts'
import { type Produced, scale, thoughtTokens } from './estimate-usage.ts'
import type { Inference } from './open-inference.ts'
import { countPrompt } from './tokens/prompt-tokens.ts'

/** What a stream may say: no more than was asked for, and no more than is held for it. */
export interface StreamBudget {
  /** Whether the answer may go on: asked with every read of it, and now and then in silence. Mostly known at once. */
  mayGoOn(): boolean | Promise<boolean>
}

/** What an answer may exceed its maximum by, since it is measured and not counted. */
const overrun = 1.25
const overrunTokens = 16

/** A reservation grows by at least so many tokens, or not at all. */
const minGrowth = 64

/** After a count the next one is this much further on at least. */
const minStep = 8

/**
 * Opens the budget of a stream by `model`. A reservation for a typical answer is doubled, ahead of need, once half of it
 * is used up: chunks wait for it only where they have caught up with it. Where it cannot grow, what is held is the limit.
 * An honest answer is never counted here: rough bounds that cost nothing tell that it is far from its limit.
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
  const mostSaid = allowedTokens * overrun + overrunTokens
  const mayThink = entry.chat.reasoning !== undefined
  const held = () => affordableTokens(admission, model) ?? 0
  let heldTokens = reservation && admission.grows ? held() : allowedTokens
  let limit: 'grows' | 'money' | 'maximum' = heldTokens < allowedTokens ? 'grows' : 'maximum'
  let nextCheckTokens = limit === 'maximum' ? mostSaid : 0
  let growing: Promise<void> | undefined
  let promptTokens: number | undefined

  const thoughts = () => {
    if (!mayThink) return produced.thoughts.minTokens
    const usage = reported()
    const known = {
      promptTokens: usage?.promptTokens ?? 0,
      saidTokens: transcript.minTokens,
      shownTokens: produced.thoughts.minTokens,
      now: clock.monotonic(),
    }
    const reckoned = thoughtTokens({ entry, request, produced, reported: usage }, known)
    return Math.max(reckoned, usage?.reasoningTokens ?? 0)
  }
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
      const added = await extendReservation(inference.ledger, reservation, { keyRevision, ...amounts })
      if (added < moreNanos) limit = 'money'
    } catch (error) {
      log.warn({ err: error }, 'a reservation could not grow')
      limit = 'money'
    }
    heldTokens = held()
    if (limit === 'grows' && heldTokens >= allowedTokens) limit = 'maximum'
    nextCheckTokens = limit === 'maximum' ? mostSaid : 0
  }
  const growIfNeeded = (): boolean | Promise<boolean> => {
    const tokens = transcript.maxTokens + thoughts()
    if (tokens < heldTokens / 2) return true
    growing ??= grow(tokens).finally(() => {
      growing = undefined
    })
    return tokens < heldTokens ? true : growing.then(mayGoOn)
  }
  /** Counts what was said, and the thoughts that were shown; where money is the limit, those that were not as well. */
  const measure = async () => {
    const said = scale(entry, await transcript.count(inference.tokenizer))
    if (limit === 'money') return Math.max(said + thoughts(), reported()?.completionTokens ?? 0)
    return said + scale(entry, await produced.thoughts.count(inference.tokenizer))
  }
  const lookAtMost = async () => {
    if (limit === 'money') {
      promptTokens ??=
        reported()?.promptTokens || scale(entry, await countPrompt(inference.tokenizer, request))
    }
    const maxTokens = limit === 'money' ? (affordableTokens(admission, model, promptTokens) ?? 0) : mostSaid
    const tokens = await measure()
    nextCheckTokens = bound() + Math.max(minStep, maxTokens - tokens)
    return tokens < maxTokens
  }
  const bound = () =>
    limit === 'money' ? transcript.maxTokens + thoughts() : transcript.minTokens + produced.thoughts.minTokens
  const mayGoOn = (): boolean | Promise<boolean> => {
    if (limit === 'grows') return growIfNeeded()
    return bound() < nextCheckTokens ? true : lookAtMost()
  }
  return { mayGoOn }
}
