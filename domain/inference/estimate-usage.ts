import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { countPrompt } from './tokens/prompt-tokens.ts'
import type { Tokenizer } from './tokens/tokenizer.ts'
import type { Transcript } from './tokens/transcript.ts'

/** What is known of an answer beside what its vendor counted. Times are monotonic milliseconds. */
export interface Produced {
  /** What was said, and what was shown of the thoughts before it, to be counted. */
  transcript: Transcript
  thoughts: Transcript
  /** When the request left for the vendor; undefined where it never did. */
  calledAt: number | undefined
  /** When the first chunk came, and the first that said something. */
  firstChunkAt: number | undefined
  firstSaidAt: number | undefined
  /** When the last one came. */
  lastAt: number | undefined
  /** The client read too slowly to tell how fast the vendor is. */
  wasHeldBack: boolean
  /** Whether the vendor said that it thinks; undefined where it never says so. */
  thinks: boolean | undefined
}

/** What is estimated of. */
export interface Estimated {
  entry: ChatEntry
  request: ChatRequest
  produced: Produced
  /** What the vendor counted so far, as far as it is believed. */
  reported: Usage | undefined
  /** The most that the answer may have, all choices together. */
  maxTokens: number
  /** The model's usual rate of thought (`thinking-rates.ts`); undefined if it is not known. */
  thoughtsPerMs: number | undefined
  /** Tokens of the prompt that were read from the cache when it was sent last. */
  cachedTokens(): Promise<number>
}

/** An honest answer says nothing for so long at first, in milliseconds, and longer by this for each token it has read. */
const startMs = 800
const readMsPerToken = 0.02

/** So much of an answer shows how fast its vendor is: tokens, and milliseconds. */
const enoughTokens = 50
const enoughMs = 300

/** Thoughts of which so much is shown, of what their time amounts to, are shown whole. */
const shownShare = 0.5

/**
 * The usage of an answer that its vendor did not count to its end: what it reported, and the rest by a
 * tokenizer. Thoughts that nobody showed are reckoned by the time that they took (docs/behaviour.md,
 * Estimates).
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
 * Tokens of thought that nobody counted: those that were shown, or, where these are a summary or nothing, by the time
 * that passed before anything was said, or until `now`. The model's usual rate is that of thinking and waiting
 * together. Beside it, a vendor is assumed to think as fast as it speaks, where enough was heard and nobody slowed it
 * down. The larger of both estimates counts.
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
  const { calledAt, firstChunkAt, firstSaidAt, thinks } = produced
  const { promptTokens, saidTokens, shownTokens } = known
  if (!mayThink(entry, request) || thinks === false || reported?.reasoningTokens) return shownTokens
  const until = firstSaidAt ?? known.now
  if (calledAt === undefined || until === undefined) return shownTokens
  const startingMs = startMs + promptTokens * readMsPerToken
  const silentMs = Math.max(until - calledAt - startingMs, until - (firstChunkAt ?? until), 0)
  const bySpeed = (silentMs / 1_000) * speedOf(entry, produced, saidTokens)
  const reckoned = Math.ceil(Math.max(bySpeed, (until - calledAt) * thoughtsPerMs))
  return shownTokens >= reckoned * shownShare ? shownTokens : reckoned
}

/** Tokens a second. */
function speedOf(entry: ChatEntry, produced: Produced, saidTokens: number): number {
  const { firstSaidAt = 0, lastAt = 0, wasHeldBack } = produced
  const ms = lastAt - firstSaidAt
  if (wasHeldBack || saidTokens < enoughTokens || ms < enoughMs) return entry.chat.tokens_per_second
  return (saidTokens / ms) * 1_000
}

function mayThink({ chat }: ChatEntry, { reasoning_effort: effort }: ChatRequest): boolean {
  return chat.reasoning !== undefined && effort !== 'none'
}

/** Tokens as the model counts them, of those that the tokenizer counts. */
export function scale({ chat }: ChatEntry, tokens: number): number {
  return Math.ceil((tokens * chat.tokens_per_hundred) / 100)
}

async function promptTokensOf(tokenizer: Tokenizer, { entry, request }: Estimated): Promise<number> {
  return Math.min(entry.chat.context_tokens, scale(entry, await countPrompt(tokenizer, request)))
}

/** Vendors count what they add to a prompt, and may say a little more than they were allowed. */
const margin = 1.1
const marginTokens = 1_000

/**
 * A vendor's count, where it can be: whole numbers, a prompt within the model's context, an answer within what the
 * vendor was told to make at most, and parts that are no more than their whole. Else undefined: an answer is then
 * charged by an estimate, so that no vendor, a customer's own least of all, can invent what others' money or rates
 * are counted by.
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
