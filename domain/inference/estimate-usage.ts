import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { countPrompt } from './tokens/prompt-tokens.ts'
import type { Tokenizer } from './tokens/tokenizer.ts'
import type { Transcript } from './tokens/transcript.ts'

/** The text and times of an answer, beside its vendor's count. Times are monotonic, in milliseconds. */
export interface Produced {
  /** The text of the answer. */
  transcript: Transcript
  /** The text of its visible thoughts. */
  thoughts: Transcript
  /** When the request was sent to the vendor; undefined if it never was. */
  calledAt: number | undefined
  /** When the first chunk arrived, and the first chunk with text. */
  firstChunkAt: number | undefined
  firstTextAt: number | undefined
  /** When the last chunk arrived. */
  lastAt: number | undefined
  /** Whether the client read so slowly that the vendor's speed is unknown. */
  hadBackPressure: boolean
  /** Whether the vendor reported thoughts; undefined if it never reports them. */
  thinks: boolean | undefined
}

/** An answer whose usage is estimated. */
export interface Estimated {
  entry: ChatEntry
  request: ChatRequest
  produced: Produced
  /** The vendor's count so far, if it is plausible. */
  reported: Usage | undefined
  /** The maximum tokens of all choices together. */
  maxTokens: number
  /** The model's usual rate of thought (`thinking-rates.ts`); undefined if it is not known. */
  thoughtsPerMs: number | undefined
  /** Returns the tokens of the prompt that were read from the cache when it was last sent. */
  cachedTokens(): Promise<number>
}

/** Usual time before the first text of an answer, in milliseconds, and its increase per token of the prompt. */
const startMs = 800
const readMsPerToken = 0.02

/** Minimum tokens and milliseconds of an answer from which the vendor's speed is calculated. */
const enoughTokens = 50
const enoughMs = 300

/** Share of the estimated thoughts from which the visible thoughts count as complete. */
const shownShare = 0.5

/**
 * Estimates the usage of an answer that its vendor did not count to the end: the reported part, and the rest by a
 * tokenizer. Hidden thoughts are estimated by the time that they took (docs/behaviour.md, Estimates).
 */
export async function estimateUsage(tokenizer: Tokenizer, estimated: Estimated): Promise<Usage> {
  const { entry, produced, reported, maxTokens } = estimated
  const promptTokens = reported?.promptTokens || (await promptTokensOf(tokenizer, estimated))
  const saidTokens = scale(entry, await produced.transcript.count(tokenizer))
  const shownTokens = scale(entry, await produced.thoughts.count(tokenizer))
  const known = { promptTokens, saidTokens, shownTokens, now: produced.lastAt }
  const reasoningTokens = Math.max(reported?.reasoningTokens ?? 0, thoughtTokens(estimated, known))
  const completionTokens = Math.min(
    maxTokens,
    Math.max(reported?.completionTokens ?? 0, saidTokens + reasoningTokens),
  )
  return {
    promptTokens,
    cachedTokens: reported ? reported.cachedTokens : Math.min(promptTokens, await estimated.cachedTokens()),
    cacheCreationTokens: reported?.cacheCreationTokens ?? 0,
    completionTokens,
    reasoningTokens: Math.min(reasoningTokens, completionTokens),
  }
}

/**
 * Estimates the tokens of thought that no vendor counted: the visible ones, or, if these are a summary or empty, by the
 * time before the first text, or until `now`. There are two estimates, and the larger one counts: by the model's usual
 * rate, which covers thinking and waiting together, and by the speed of the answer's text, if enough of it arrived
 * without back-pressure.
 */
export function thoughtTokens(
  {
    entry,
    request,
    produced,
    reported,
    thoughtsPerMs = 0,
  }: Pick<Estimated, 'entry' | 'request' | 'produced' | 'reported'> &
    Partial<Pick<Estimated, 'thoughtsPerMs'>>,
  known: { promptTokens: number; saidTokens: number; shownTokens: number; now: number | undefined },
): number {
  const { calledAt, firstChunkAt, firstTextAt, thinks } = produced
  const { promptTokens, saidTokens, shownTokens } = known
  if (!mayThink(entry, request) || thinks === false || reported?.reasoningTokens) return shownTokens
  const until = firstTextAt ?? known.now
  if (calledAt === undefined || until === undefined) return shownTokens
  const startingMs = startMs + promptTokens * readMsPerToken
  const silentMs = Math.max(until - calledAt - startingMs, until - (firstChunkAt ?? until), 0)
  const bySpeed = (silentMs / 1_000) * speedOf(entry, produced, saidTokens)
  const reckoned = Math.ceil(Math.max(bySpeed, (until - calledAt) * thoughtsPerMs))
  return shownTokens >= reckoned * shownShare ? shownTokens : reckoned
}

/** Returns tokens per second. */
function speedOf(entry: ChatEntry, produced: Produced, saidTokens: number): number {
  const { firstTextAt = 0, lastAt = 0, hadBackPressure } = produced
  const ms = lastAt - firstTextAt
  if (hadBackPressure || saidTokens < enoughTokens || ms < enoughMs) return entry.chat.tokens_per_second
  return (saidTokens / ms) * 1_000
}

function mayThink({ chat }: ChatEntry, { reasoning_effort: effort }: ChatRequest): boolean {
  return chat.reasoning !== undefined && effort !== 'none'
}

/** Converts tokens of the tokenizer to tokens of the model. */
export function scale({ chat }: ChatEntry, tokens: number): number {
  return Math.ceil((tokens * chat.tokens_per_hundred) / 100)
}

async function promptTokensOf(tokenizer: Tokenizer, { entry, request }: Estimated): Promise<number> {
  return Math.min(entry.chat.context_tokens, scale(entry, await countPrompt(tokenizer, request)))
}

/** Tolerance for what vendors add to a prompt, and for answers slightly above their maximum. */
const margin = 1.1
const marginTokens = 1_000

/**
 * Returns a vendor's count if it is plausible: whole numbers, a prompt within the model's context, an answer within its
 * maximum, and parts that do not exceed their whole. Otherwise returns undefined, and the answer is charged by an
 * estimate, so that no vendor, such as a customer's own, can invent a count.
 */
export function believableUsage(
  usage: Usage,
  { entry, maxTokens }: { entry: ChatEntry; maxTokens: number },
): Usage | undefined {
  const counts = Object.values(usage)
  if (!counts.every(count => Number.isSafeInteger(count) && count >= 0)) return undefined
  if (usage.promptTokens > entry.chat.context_tokens * margin) return undefined
  if (usage.completionTokens > maxTokens * margin + marginTokens) return undefined
  const cachedTokens = Math.min(usage.cachedTokens, usage.promptTokens)
  return {
    promptTokens: usage.promptTokens,
    cachedTokens,
    cacheCreationTokens: Math.min(usage.cacheCreationTokens, usage.promptTokens - cachedTokens),
    completionTokens: usage.completionTokens,
    reasoningTokens: Math.min(usage.reasoningTokens, usage.completionTokens),
  }
}
