import type Anthropic from '@anthropic-ai/sdk'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'

/**
 * The body of a request, from the types of the vendor's own SDK, so that the compiler checks our requests
 * against them. Those types are of version 2026-10-21, which has no sampling parameters; version 2023-06-01
 * has.
 */
export interface MessagesBody extends Omit<Anthropic.MessageCreateParamsNonStreaming, 'stream'> {
  stream: boolean
  temperature?: number | undefined
  top_p?: number | undefined
}

export type TextBlock = Anthropic.TextBlockParam
export type ImageBlock = Anthropic.ImageBlockParam
export type CallBlock = Anthropic.ToolUseBlockParam
export type ResultBlock = Anthropic.ToolResultBlockParam
export type DocumentBlock = Anthropic.DocumentBlockParam
export type ThinkingBlock = Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam
export type Block = TextBlock | ImageBlock | DocumentBlock | CallBlock | ResultBlock | ThinkingBlock
export type Turn = { role: 'user' | 'assistant'; content: Block[] } | { role: 'system'; content: TextBlock[] }
export type Tool = Anthropic.Tool
export type ToolChoice = Anthropic.ToolChoice

/** The vendor's error, in place of an answer or within a stream. */
interface ErrorBody {
  type: 'error'
  error?: { type?: string; message?: string }
}

export type StreamEvent = Anthropic.RawMessageStreamEvent | ErrorBody
export type MessageBody = Anthropic.Message
export type StopReason = Anthropic.StopReason
export type StopDetails = Anthropic.RefusalStopDetails
/** Complete in the first event of a stream, partial in its last. */
export type UsageBody = Partial<Omit<Anthropic.MessageDeltaUsage, 'server_tool_use'>>

/** The versions of the API that are used. */
export type WireVersion = '2023-06-01' | '2026-10-21'

/**
 * The newest version for the model's generation: 2023-06-01 for models that sample, since 2026-10-21 has no
 * sampling parameters. Bedrock has 2026-10-21 for the recent models only, which are the ones that do not
 * sample.
 */
export function chooseVersion({ sampling }: Pick<ChatFlags, 'sampling'>): WireVersion {
  return sampling ? '2023-06-01' : '2026-10-21'
}
