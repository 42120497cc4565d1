import type { Logprobs, TokenRank, ToolCall } from '../../../schema/wire/chat.ts'
import { requireText } from '../shared/answer.ts'
import { mintCallId } from '../shared/call-ids.ts'
import type { FinishReason, LogprobsResult, Part } from './wire.ts'

/**
 * A tool call. Its ID contains the vendor's signature, and `extra_content` repeats it, like the vendor's own
 * OpenAI-style API.
 */
export interface SignedToolCall extends ToolCall {
  type: 'function'
  extra_content?: { google: { thought_signature: string } }
}

/** Returns the text and the tool calls of a candidate, without its thinking. */
export function readParts(
  parts: readonly Part[] | undefined,
  { origin, signs }: { origin: string; signs: boolean },
): { text: string; calls: SignedToolCall[] } {
  let text = ''
  const calls: SignedToolCall[] = []
  for (const part of parts ?? []) {
    if (part.thought) continue
    if (part.text) text += requireText(part.text)
    const name = part.functionCall?.name
    if (name) calls.push(readCall(part, requireText(name), { origin, signs }))
  }
  return { text, calls }
}

function readCall(
  { functionCall, thoughtSignature }: Part,
  name: string,
  { origin, signs }: { origin: string; signs: boolean },
): SignedToolCall {
  const metadata = signs ? { origin, vendorId: functionCall?.id, signature: thoughtSignature } : { origin }
  return {
    id: mintCallId(metadata),
    type: 'function',
    function: { name, arguments: JSON.stringify(functionCall?.args ?? {}) },
    ...(signs && thoughtSignature && { extra_content: { google: { thought_signature: thoughtSignature } } }),
  }
}

type Finish = 'stop' | 'length' | 'content_filter'

/**
 * The vendor's finish reasons in the canonical chat format; `failed` if the model could not continue, for which the
 * format has no reason.
 */
const finishReasons: Readonly<Record<FinishReason, Finish | 'failed'>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'failed',
  MALFORMED_RESPONSE: 'failed',
  UNEXPECTED_TOOL_CALL: 'failed',
  TOO_MANY_TOOL_CALLS: 'failed',
  NO_IMAGE: 'failed',
  IMAGE_OTHER: 'failed',
  OTHER: 'failed',
  FINISH_REASON_UNSPECIFIED: 'failed',
}

const finishes = new Map<string, Finish | 'failed'>(Object.entries(finishReasons))

/**
 * Returns why a choice ended: `failed` if the model could not continue, unless it had generated text or calls before.
 * Unknown reasons count as failures.
 */
export function readFinish(
  reason: string | undefined,
  { hasText, hasCalls }: { hasText: boolean; hasCalls: boolean },
): Finish | 'tool_calls' | 'failed' {
  const finish = finishes.get(reason ?? '') ?? 'failed'
  if (finish === 'length' || finish === 'content_filter') return finish
  if (hasCalls) return 'tool_calls'
  return finish === 'failed' && hasText ? 'stop' : finish
}

/** Returns the log probabilities of an answer's tokens, or null if the vendor sent none. */
export function presentLogprobs(result: LogprobsResult | undefined): Logprobs | null {
  if (!result?.chosenCandidates) return null
  const content = result.chosenCandidates.map((chosen, index) => ({
    ...presentToken(chosen),
    top_logprobs: (result.topCandidates?.[index]?.candidates ?? []).map(presentToken),
  }))
  return { content, refusal: null }
}

function presentToken({
  token = '',
  logProbability = 0,
}: {
  token?: string
  logProbability?: number
}): TokenRank {
  return { token, logprob: logProbability, bytes: [...Buffer.from(token)] }
}
