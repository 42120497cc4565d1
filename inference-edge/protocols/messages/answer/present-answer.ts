import type Anthropic from '@anthropic-ai/sdk'
import { isRecord } from '../../../../platform/is-record.ts'
import type { Usage } from '../../../../schema/usage.ts'
import type {
  AssistantMessage,
  ChatCompletion,
  ChunkDelta,
  FinishReason,
} from '../../../../schema/wire/chat.ts'
import type { Thought } from '../../../../schema/wire/messages.ts'
import { parseJson } from '../../../../upstreams/formats/shared/answer.ts'

/**
 * A message as the official SDK's types write it down, so that the compiler holds our shapes against them. Vendors
 * have no word of their own for who runs a tool (`caller`), so that stays away.
 */
export type MessageBody = Omit<Anthropic.Message, 'content'> & { content: ContentBlock[] }
export type ContentBlock =
  | Anthropic.TextBlock
  | Anthropic.ThinkingBlock
  | Anthropic.RedactedThinkingBlock
  | Pick<Anthropic.ToolUseBlock, 'type' | 'id' | 'name' | 'input'>

/** How an answer ended, as far as it is known. */
export interface Ending {
  finishReason: FinishReason | null
  /** The stop sequence that ended it, where the vendor told which. */
  stopSequence: string | null
  hasCalls: boolean
  /** What the model said in place of an answer. */
  refusal: string
}

/** The id of an answer: the request's, so that it can be found in the log. */
export function messageIdOf(requestId: string): string {
  return `msg_${requestId.replace(/^req_/, '')}`
}

/** The id of a call: the vendor's own, to be sent back with its result; made up where the vendor gave none. */
export function callIdOf(
  id: string | undefined,
  { requestId, index }: { requestId: string; index: number },
): string {
  return id || `toolu_${requestId.replace(/^req_/, '')}_${index}`
}

/** A whole answer. Thoughts are shown where their vendor signed them, or the client asked for them. */
export function presentAnswer(
  completion: ChatCompletion,
  usage: Usage,
  { requestId, showsThoughts }: { requestId: string; showsThoughts: boolean },
): MessageBody {
  const [choice] = completion.choices
  const message = choice?.message
  const content: ContentBlock[] = []
  const blocks = thoughtsIn(message)
  content.push(...blocks)
  const thought = message?.reasoning_content
  if (showsThoughts && blocks.length === 0 && typeof thought === 'string' && thought !== '') {
    content.push({ type: 'thinking', thinking: thought, signature: '' })
  }
  const said = (message?.content ?? '') + (message?.refusal ?? '')
  if (said !== '') content.push({ type: 'text', text: said, citations: null })
  for (const [index, call] of message?.tool_calls?.entries() ?? []) {
    if (!('function' in call) || !call.function) continue
    const { name, arguments: text } = call.function
    content.push({
      type: 'tool_use',
      id: callIdOf(call.id, { requestId, index }),
      name,
      input: inputOf(text),
    })
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
    usage: presentUsage(usage),
  }
}

/** What is the same of every answer, and of the first event of a streamed one. */
export function beginMessage({ requestId, model }: { requestId: string; model: string }) {
  return {
    id: messageIdOf(requestId),
    type: 'message' as const,
    role: 'assistant' as const,
    model,
    container: null,
    diagnostics: null,
  }
}

/** The thoughts that a vendor signed, of a whole answer or of a piece of one. */
export function thoughtsIn(said: AssistantMessage | ChunkDelta | undefined): Thought[] {
  const blocks = said?.thinking_blocks
  if (!Array.isArray(blocks)) return []
  return blocks
    .filter(isRecord)
    .map(({ type, thinking, signature, data }) =>
      type === 'redacted_thinking'
        ? { type, data: String(data) }
        : { type: 'thinking', thinking: String(thinking ?? ''), signature: String(signature ?? '') },
    )
}

/** Which stop sequence ended an answer, where its vendor told. */
export function stopSequenceOf(choice: object | undefined): string | null {
  const told: unknown = choice && Reflect.get(choice, 'stop_sequence')
  return typeof told === 'string' ? told : null
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
    stop_reason: isRefused ? 'refusal' : reasonOf(finishReason, { stopSequence, hasCalls }),
    stop_sequence: stopSequence,
    stop_details: isRefused ? details : null,
  }
}

function reasonOf(
  reason: FinishReason | null,
  { stopSequence, hasCalls }: Pick<Ending, 'stopSequence' | 'hasCalls'>,
): Anthropic.StopReason {
  if (reason === 'length') return 'max_tokens'
  if (hasCalls) return 'tool_use'
  return stopSequence === null ? 'end_turn' : 'stop_sequence'
}

/** Input apart from what was read from the cache and written to it, as this protocol counts. */
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

/** The arguments of a call as the object that clients read. Those that a limit cut in the middle cannot be read. */
function inputOf(text: string): unknown {
  try {
    return parseJson(text || '{}')
  } catch {
    return {}
  }
}
