import { isRecord } from '../../../platform/checks.ts'
import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChatCompletion } from '../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { countOf, parseObject, unexpectedShape } from '../shared/answer.ts'
import { failureOfErrorBody } from './failure.ts'

/** Reads a whole answer. Throws `broken` if it is not JSON, has no choice, or has a choice of an unexpected shape. */
export function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  const completion = parseObject(body.toString())
  if (completion.error) throw failureOfErrorBody(completion)
  if (!Array.isArray(completion.choices) || completion.choices.length === 0) {
    throw new UpstreamFailure('broken', { message: 'the vendor answered without a choice' })
  }
  if (!isCompletion(completion)) throw unexpectedShape()
  completion.model = call.request.model
  return {
    completion,
    usage: readUsage(completion.usage, call.entry),
    serviceTier: readServiceTier(completion),
  }
}

/** Returns the service tier that a completion or chunk reports. */
export function readServiceTier(body: object): string | undefined {
  const tier: unknown = Reflect.get(body, 'service_tier')
  return typeof tier === 'string' ? tier : undefined
}

/**
 * Whether the choices of a whole answer have the shape on which other code relies. All other fields are forwarded
 * unchanged.
 */
function isCompletion(answer: Record<string, unknown>): answer is ChatCompletion {
  return Array.isArray(answer.choices) && answer.choices.every(isChoice)
}

/** Whether the choices of a chunk have that shape. A choice of a chunk may be empty. */
export function isChunk(chunk: Record<string, unknown>): chunk is ChatChunk {
  return Array.isArray(chunk.choices) && chunk.choices.every(isChunkChoice)
}

function isChoice(choice: unknown): boolean {
  return isRecord(choice) && isMessage(choice.message) && isOptionalText(choice.finish_reason)
}

function isChunkChoice(choice: unknown): boolean {
  if (!isRecord(choice) || !isOptionalText(choice.finish_reason)) return false
  return isAbsent(choice.delta) || isMessage(choice.delta)
}

function isMessage(message: unknown): boolean {
  if (!isRecord(message) || !isOptionalText(message.content) || !isOptionalText(message.refusal)) return false
  return (
    isAbsent(message.tool_calls) || (Array.isArray(message.tool_calls) && message.tool_calls.every(isCall))
  )
}

/** A function call, or a fragment of one. Calls of other tools are forwarded unchecked. */
function isCall(call: unknown): boolean {
  if (!isRecord(call)) return false
  const { function: called } = call
  return (
    isAbsent(called) || (isRecord(called) && isOptionalText(called.name) && isOptionalText(called.arguments))
  )
}

function isOptionalText(value: unknown): boolean {
  return typeof value === 'string' || isAbsent(value)
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

/**
 * Returns the usage, or undefined if the vendor reports none. Cached tokens are part of the prompt. Some vendors do not
 * count thinking as part of the completion, so it is added if the total includes it. Cache writes are only counted for
 * models with a price for them (docs/models.md, Prices); otherwise they are ordinary input.
 */
export function readUsage(body: unknown, entry: Pick<ChatEntry, 'prices'>): Usage | undefined {
  if (!isRecord(body)) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = body
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return undefined
  const { prompt_tokens_details: prompt, completion_tokens_details: completion, total_tokens: total } = body
  const reasoningTokens = isRecord(completion) ? countOf(completion.reasoning_tokens) : 0
  const isThinkingApart = reasoningTokens > 0 && total === promptTokens + completionTokens + reasoningTokens
  return {
    promptTokens,
    cachedTokens: isRecord(prompt) ? countOf(prompt.cached_tokens) : 0,
    cacheCreationTokens: isRecord(prompt) ? countWrites(prompt, entry) : 0,
    completionTokens: isThinkingApart ? completionTokens + reasoningTokens : completionTokens,
    reasoningTokens,
  }
}

function countWrites(prompt: Record<string, unknown>, { prices }: Pick<ChatEntry, 'prices'>): number {
  const written = countOf(prompt.cache_write_tokens)
  if (written === 0) return 0
  const lists = [prices.rates, ...(prices.periods ?? []).map(({ rates }) => rates)]
  return lists.some(rates => rates.some(({ of }) => of === 'cache_write')) ? written : 0
}
