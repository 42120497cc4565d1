import type Anthropic from '@anthropic-ai/sdk'
import { isRecord } from '../../../platform/checks.ts'
import { dollars } from '../../../platform/money.ts'
import type { ChargedUsage, Usage } from '../../../schema/usage.ts'
import type {
  AssistantMessage,
  ChatCompletion,
  ChunkDelta,
  FinishReason,
  ThinkingBlock,
} from '../../../schema/wire/chat.ts'
import { parseJson } from '../../../upstreams/formats/shared/answer.ts'
import { idSuffixOf } from '../protocol.ts'

/**
 * A message in the types of the official SDK, so that the compiler checks our shapes against them. A text has no
 * `citations`: the SDK's type requires the field, but other clients refuse a response in which it is null.
 */
export type MessageBody = Omit<Anthropic.Message, 'content' | 'usage'> & {
  content: ContentBlock[]
  usage: ChargedUsageBody
}
export type ContentBlock =
  | Omit<Anthropic.TextBlock, 'citations'>
  | Anthropic.ThinkingBlock
  | Anthropic.RedactedThinkingBlock
  | Anthropic.ToolUseBlock

/**
 * Presents an answer that is not streamed. Signed thinking is always shown. Thinking without a signature is shown only
 * with `showsThinking`, if the client requested thinking.
 */
export function presentAnswer(
  completion: ChatCompletion,
  usage: ChargedUsage,
  { requestId, showsThinking }: { requestId: string; showsThinking: boolean },
): MessageBody {
  const [choice] = completion.choices
  const message = choice?.message
  const signed = thinkingBlocksIn(message)
  const content: ContentBlock[] = [...signed]
  const thinking = message?.reasoning_content
  if (showsThinking && signed.length === 0 && typeof thinking === 'string' && thinking !== '') {
    content.push({ type: 'thinking', thinking, signature: '' })
  }
  const text = (message?.content ?? '') + (message?.refusal ?? '')
  if (text !== '') content.push({ type: 'text', text })
  for (const [index, call] of message?.tool_calls?.entries() ?? []) {
    if (!('function' in call) || !call.function) continue
    const { name, arguments: json } = call.function
    const id = callIdOf(call.id, { requestId, index })
    content.push({ type: 'tool_use', id, name, input: parseInput(json), caller: directly })
  }
  return {
    ...beginMessage({ requestId, model: completion.model }),
    content,
    ...presentEnding({
      finishReason: choice?.finish_reason ?? null,
      stopSequence: stopSequenceOf(choice),
      hasCalls: content.some(block => block.type === 'tool_use'),
      refusal: message?.refusal ?? '',
    }),
    usage: presentCharged(usage),
  }
}

/** The `caller` of a `tool_use`: the model itself, rather than code that the vendor runs for it. */
export const directly = { type: 'direct' as const }

/** The fields that are known when an answer begins. Its ID is the request's, so that it can be found in the log. */
export function beginMessage({ requestId, model }: { requestId: string; model: string }) {
  return {
    id: `msg_${idSuffixOf(requestId)}`,
    type: 'message' as const,
    role: 'assistant' as const,
    model,
    container: null,
    diagnostics: null,
  }
}

/** Returns the ID of a call: the vendor's, or a derived one if the vendor sent none. */
export function callIdOf(
  id: string | undefined,
  { requestId, index }: { requestId: string; index: number },
): string {
  return id || `toolu_${idSuffixOf(requestId)}_${index}`
}

/** The signed thinking of an answer or of a chunk. */
export function thinkingBlocksIn(message: AssistantMessage | ChunkDelta | undefined): ThinkingBlock[] {
  const blocks = message?.thinking_blocks
  if (!Array.isArray(blocks)) return []
  return blocks
    .filter(isRecord)
    .map(({ type, thinking, signature, data }) =>
      type === 'redacted_thinking'
        ? { type, data: String(data) }
        : { type: 'thinking', thinking: String(thinking ?? ''), signature: String(signature ?? '') },
    )
}

/** The stop sequence that ended an answer, if the vendor reports it. */
export function stopSequenceOf(choice: object | undefined): string | null {
  const reported: unknown = choice && Reflect.get(choice, 'stop_sequence')
  return typeof reported === 'string' ? reported : null
}

/** Returns the stop reason of an answer, if it is known. */
export interface Ending {
  finishReason: FinishReason | null
  stopSequence: string | null
  hasCalls: boolean
  /** The text of a refusal. */
  refusal: string
}

export function presentEnding({
  finishReason,
  stopSequence,
  hasCalls,
  refusal,
}: Ending): Pick<MessageBody, 'stop_reason' | 'stop_sequence' | 'stop_details'> {
  const isRefused = finishReason === 'content_filter' || refusal !== ''
  const details = { type: 'refusal' as const, category: null, explanation: refusal || null }
  return {
    stop_reason: isRefused ? 'refusal' : stopReasonOf(finishReason, { stopSequence, hasCalls }),
    stop_sequence: stopSequence,
    stop_details: isRefused ? details : null,
  }
}

function stopReasonOf(
  reason: FinishReason | null,
  { stopSequence, hasCalls }: Pick<Ending, 'stopSequence' | 'hasCalls'>,
): Anthropic.StopReason {
  if (reason === 'length') return 'max_tokens'
  if (hasCalls) return 'tool_use'
  return stopSequence === null ? 'end_turn' : 'stop_sequence'
}

/** `input_tokens` do not include tokens read from the prompt cache or written to it. */
export function presentUsage(usage: Usage): Anthropic.Usage {
  const { promptTokens, cachedTokens, cacheCreationTokens, completionTokens, reasoningTokens } = usage
  return {
    input_tokens: Math.max(0, promptTokens - cachedTokens - cacheCreationTokens),
    cache_creation_input_tokens: cacheCreationTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheCreationTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: 'standard',
  }
}

/** `usage` with the charge, in US dollars. */
export type ChargedUsageBody = Anthropic.Usage & { cost: number }

/** Returns the usage of an answer that is settled. */
export function presentCharged(usage: ChargedUsage): ChargedUsageBody {
  return { ...presentUsage(usage), cost: dollars(usage.costNanos) }
}

/** Returns the arguments of a call as an object. It is empty if a limit has cut the arguments. */
function parseInput(json: string): unknown {
  try {
    return parseJson(json || '{}')
  } catch {
    return {}
  }
}
