import type Anthropic from '@anthropic-ai/sdk'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'

/**
 * The body of a request, from the types of the vendor's own SDK, so that the compiler checks requests against them.
 * These types are of version 2026-10-21, which has no sampling parameters. Version 2023-06-01 has them.
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

/** The vendor's error, which replaces an answer or occurs in a stream. */
interface ErrorBody {
  type: 'error'
  error?: { type?: string; message?: string }
}

export type StreamEvent = Anthropic.RawMessageStreamEvent | ErrorBody
export type MessageBody = Anthropic.Message
export type StopReason = Anthropic.StopReason
export type StopDetails = Anthropic.RefusalStopDetails
/** The usage: complete in the first event of a stream, partial in its last. */
export type UsageBody = Partial<Omit<Anthropic.MessageDeltaUsage, 'server_tool_use'>>

/** The versions of the API that are used. */
export type WireVersion = '2023-06-01' | '2026-10-21'

/**
 * Returns the newest version that supports the model: 2023-06-01 for models with sampling parameters, which 2026-10-21
 * does not have. Bedrock has 2026-10-21 only for recent models, which have no sampling parameters.
 */
export function chooseVersion({ sampling }: Pick<ChatFlags, 'sampling'>): WireVersion {
  return sampling ? '2023-06-01' : '2026-10-21'
}
