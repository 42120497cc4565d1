import { hash } from 'node:crypto'
import type { Json } from '../../server/json.ts'
import { charactersPerToken } from './text.ts'

/** The input of a model, for every wire format. */
export interface Prompt {
  readonly model: string
  readonly messages: readonly PromptMessage[]
  readonly tools: readonly PromptTool[]
  readonly toolChoice: ToolChoice
  readonly allowsParallelCalls: boolean
  /** The schema of a JSON answer; undefined for a text answer. */
  readonly answerSchema: Json | undefined
  /** Maximum length of the answer, reasoning included; undefined means unlimited. */
  readonly maxTokens: number | undefined
  readonly stops: readonly string[]
  readonly candidateCount: number
  /** The number of reasoning tokens before each answer. They are counted but not shown. */
  readonly reasoningTokens: number
  /** The seed. A different seed gives a different answer. */
  readonly seed: number | undefined
}

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** The text parts of the message, joined by line breaks. */
  readonly text: string
  /** URLs or data of images and other media. Each counts as 256 tokens. */
  readonly media: readonly string[]
  readonly calls: readonly PromptCall[]
  /** The ID of the call that a tool's message answers. */
  readonly callId: string | undefined
}

export interface PromptCall extends ReplyCall {
  readonly id: string
}

export interface PromptTool {
  readonly name: string
  readonly description: string
  readonly schema: Json
}

export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required'
  /** The tools that can be called; undefined means all. */
  readonly names?: readonly string[] | undefined
}

/** The schema for JSON modes without a schema. */
export const anyObject: Json = {
  type: 'object',
  properties: { answer: { type: 'string' }, score: { type: 'integer' } },
}

/** The output of a model, for every wire format. */
export interface Reply {
  readonly candidates: readonly Candidate[]
  /** Undefined for the fault `no-usage`. */
  readonly usage: Usage | undefined
}

export interface Candidate {
  /** The text; empty if there are calls. */
  readonly text: string
  readonly calls: readonly ReplyCall[]
  readonly finish: 'stop' | 'length' | 'calls'
}

export interface ReplyCall {
  readonly name: string
  /** The arguments, as JSON text that the token limit can truncate. */
  readonly arguments: string
}

/** The numbers of tokens that a call read from the cache and added to it. */
export interface CacheUse {
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
}

export interface Usage extends CacheUse {
  /** The length of the prompt, cached tokens included. */
  readonly promptTokens: number
  /** The length of all candidates, reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** Returns the text of the last user message, or an empty string. */
export function lastUserText({ messages }: Pick<Prompt, 'messages'>): string {
  return messages.findLast(message => message.role === 'user')?.text ?? ''
}

/** The number of tokens of an image, sound or file. */
const tokensPerMedium = 256

/**
 * Renders a prompt as the text that is counted and cached: the tools, then the messages. A medium becomes a hash, padded
 * to 256 tokens.
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
