import { isRecord } from '../../../platform/is-record.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChatCompletion } from '../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { countOf, oddShape, parseObject } from '../shared/answer.ts'
import { failureOfErrorBody } from './failure.ts'

/** A whole answer. Throws `broken` when it is no JSON, has no choice, or one of another shape. */
export function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  const completion = parseObject(body.toString())
  if (completion.error) throw failureOfErrorBody(completion)
  if (!Array.isArray(completion.choices) || completion.choices.length === 0) {
    throw new UpstreamFailure('broken', { message: 'the vendor answered without a choice' })
  }
  if (!isCompletion(completion)) throw oddShape()
  completion.model = call.request.model
  return { completion, usage: readUsage(completion.usage) }
}

/**
 * Whether the choices of a whole answer have the shape that the system relies on where it reads them. All
 * else is passed on as it came.
 */
function isCompletion(answer: Record<string, unknown>): answer is ChatCompletion {
  return Array.isArray(answer.choices) && answer.choices.every(isChoice)
}

/** The same of a chunk, in which a choice may say nothing. */
export function isChunk(chunk: Record<string, unknown>): chunk is ChatChunk {
  return Array.isArray(chunk.choices) && chunk.choices.every(isChunkChoice)
}

function isChoice(choice: unknown): boolean {
  return isRecord(choice) && isSaid(choice.message) && mayBeText(choice.finish_reason)
}

function isChunkChoice(choice: unknown): boolean {
  if (!isRecord(choice) || !mayBeText(choice.finish_reason)) return false
  return isNothing(choice.delta) || isSaid(choice.delta)
}

function isSaid(said: unknown): boolean {
  if (!isRecord(said) || !mayBeText(said.content) || !mayBeText(said.refusal)) return false
  return isNothing(said.tool_calls) || (Array.isArray(said.tool_calls) && said.tool_calls.every(isCall))
}

/** A call of a function, or a fragment of one. Calls of other tools are for the clients that offered them. */
function isCall(call: unknown): boolean {
  if (!isRecord(call)) return false
  const { function: called } = call
  return isNothing(called) || (isRecord(called) && mayBeText(called.name) && mayBeText(called.arguments))
}

function mayBeText(value: unknown): boolean {
  return typeof value === 'string' || isNothing(value)
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

/**
 * The vendor's usage; undefined where it is not told. Cached tokens are part of the prompt. Some vendors
 * count thoughts beside the completion and not as a part of it: their total says so.
 */
export function readUsage(body: unknown): Usage | undefined {
  if (!isRecord(body)) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = body
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return undefined
  const { prompt_tokens_details: prompt, completion_tokens_details: completion, total_tokens: total } = body
  const reasoningTokens = isRecord(completion) ? countOf(completion.reasoning_tokens) : 0
  const isBeside = reasoningTokens > 0 && total === promptTokens + completionTokens + reasoningTokens
  return {
    promptTokens,
    cachedTokens: isRecord(prompt) ? countOf(prompt.cached_tokens) : 0,
    cacheCreationTokens: 0, // no write premium for this vendor (docs/behaviour.md, Chat)
    completionTokens: isBeside ? completionTokens + reasoningTokens : completionTokens,
    reasoningTokens,
  }
}
