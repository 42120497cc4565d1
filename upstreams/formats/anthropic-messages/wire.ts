import type Anthropic from '@anthropic-ai/sdk'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'

/**
 * The Messages wire format as the vendor's own types write it down, so that the compiler holds our shapes
 * against them. They are those of version 2026-10-21, which knows no sampling; version 2023-06-01 does.
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
export type ThoughtBlock = Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam
export type Block = TextBlock | ImageBlock | DocumentBlock | CallBlock | ResultBlock | ThoughtBlock
export type Turn = { role: 'user' | 'assistant'; content: Block[] } | { role: 'system'; content: TextBlock[] }
export type Tool = Anthropic.Tool
export type ToolChoice = Anthropic.ToolChoice

/** What the vendor says in place of an answer, or in the middle of one. */
interface ErrorBody {
  type: 'error'
  error?: { type?: string; message?: string }
}

export type StreamEvent = Anthropic.RawMessageStreamEvent | ErrorBody
export type Answer = Anthropic.Message
export type StopReason = Anthropic.StopReason
export type StopDetails = Anthropic.RefusalStopDetails
/** Told whole in the first event of a stream, in part in its last. */
export type UsageBody = Partial<Omit<Anthropic.MessageDeltaUsage, 'server_tool_use'>>

/** The versions of the wire that we speak. */
export type WireVersion = '2023-06-01' | '2026-10-21'

/**
 * The newest version that the model's generation takes. 2026-10-21 has no sampling, so models that sample are
 * spoken to in 2023-06-01. Through Bedrock only the newer models know 2026-10-21, and these are the same
 * ones.
 */
export function chooseVersion({ sampling }: Pick<ChatFlags, 'sampling'>): WireVersion {
  return sampling ? '2023-06-01' : '2026-10-21'
}
