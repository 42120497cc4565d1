import type { Json } from '../json.ts'

/** What a model is asked, whatever the wire format it was asked in. */
export interface Prompt {
  readonly model: string
  readonly messages: readonly PromptMessage[]
  readonly tools: readonly PromptTool[]
  readonly toolChoice: ToolChoice
  /** Whether several tools may be called in one answer. */
  readonly mayCallInParallel: boolean
  readonly answerFormat: AnswerFormat
  /** Room for the answer, its reasoning included; undefined where there is no bound. */
  readonly maxTokens: number | undefined
  readonly stops: readonly string[]
  /** How many answers are asked for. */
  readonly candidateCount: number
  /** What the model thinks before each answer, counted but not shown. */
  readonly reasoningTokens: number
  /** Another seed makes another answer. */
  readonly seed: number | undefined
}

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** All text of the message, its parts joined by line breaks. */
  readonly text: string
  /** Addresses or data URIs of images and other media: each counts the same. */
  readonly media: readonly string[]
  /** What the assistant called. */
  readonly calls: readonly PromptCall[]
  /** Which call a tool's message answers. */
  readonly callId: string | undefined
}

export interface PromptCall {
  readonly id: string
  readonly name: string
  /** The arguments as JSON text. */
  readonly arguments: string
}

export interface PromptTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly schema: Json
}

export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required'
  /** Only these tools may be called; undefined allows all. */
  readonly names: readonly string[] | undefined
}

export type AnswerFormat = { readonly kind: 'text' } | { readonly kind: 'json'; readonly schema: Json }

/** The text of the last user message, or nothing. */
export function lastUserText({ messages }: Pick<Prompt, 'messages'>): string {
  return messages.findLast(message => message.role === 'user')?.text ?? ''
}
