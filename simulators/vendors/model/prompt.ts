import { hash } from 'node:crypto'
import type { Json } from '../../server/json.ts'
import { charactersPerToken } from './text.ts'

/** What a model is given, whatever the wire format it came in. */
export interface Prompt {
  readonly model: string
  readonly messages: readonly PromptMessage[]
  readonly tools: readonly PromptTool[]
  readonly toolChoice: ToolChoice
  /** Whether several tools may be called in one answer. */
  readonly mayCallInParallel: boolean
  readonly answerFormat: AnswerFormat
  /** Limits the answer, its reasoning included; undefined where there is no limit. */
  readonly maxTokens: number | undefined
  readonly stops: readonly string[]
  /** How many answers are wanted. */
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

/** The schema of JSON modes, where a model may answer any object. */
export const anyObject: Json = {
  type: 'object',
  properties: { answer: { type: 'string' }, score: { type: 'integer' } },
}

/** What a model answered, for a wire format to present. */
export interface Reply {
  readonly candidates: readonly Candidate[]
  /** Undefined where a fault leaves it out. */
  readonly usage: Usage | undefined
}

export interface Candidate {
  /** Empty where tools are called. */
  readonly text: string
  readonly calls: readonly MadeCall[]
  readonly finish: 'stop' | 'length' | 'calls'
}

export interface MadeCall {
  readonly name: string
  /** The arguments as JSON text, which the token limit may have cut short. */
  readonly arguments: string
}

export interface Usage {
  /** The whole prompt, the cached part included. */
  readonly promptTokens: number
  readonly cachedTokens: number
  /** Of the prompt, what this call put into the cache. */
  readonly cacheWriteTokens: number
  /** Of all candidates, reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** The text of the last user message, or nothing. */
export function lastUserText({ messages }: Pick<Prompt, 'messages'>): string {
  return messages.findLast(message => message.role === 'user')?.text ?? ''
}

/** What each image, sound or file of a prompt counts. */
const tokensPerMedium = 256

/**
 * A prompt as the one text that is counted and cached, the same for every wire format: the tools, then the
 * messages in order. A medium reads as so many characters that only the same medium has.
 */
export function renderPrompt({ tools, messages }: Pick<Prompt, 'tools' | 'messages'>): string {
  let text = ''
  for (const { name, description, schema } of tools) {
    text += `tool ${name}: ${description} ${JSON.stringify(schema)}\n`
  }
  for (const message of messages) {
    text += `${message.role}: ${message.text}\n`
    for (const medium of message.media) {
      text += hash('sha1', medium).padEnd(tokensPerMedium * charactersPerToken, '.')
    }
    for (const call of message.calls) text += `${call.name}(${call.arguments})\n`
  }
  return text
}
