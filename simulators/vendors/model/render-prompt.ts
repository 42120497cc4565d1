import { hash } from 'node:crypto'
import type { Prompt, PromptMessage, PromptTool } from './prompt.ts'
import { charactersPerToken } from './text/count-tokens.ts'

/** What each image, sound or file of a prompt counts. */
export const TOKENS_PER_MEDIUM = 256

/**
 * A prompt as the one text that is counted and cached, the same for every wire format: the tools, then the
 * messages in order. A medium reads as so many characters that only the same medium has.
 */
export function renderPrompt({ tools, messages }: Pick<Prompt, 'tools' | 'messages'>): string {
  let text = ''
  for (const tool of tools) text += renderTool(tool)
  for (const message of messages) text += renderMessage(message)
  return text
}

function renderTool({ name, description, schema }: PromptTool): string {
  return `tool ${name}: ${description} ${JSON.stringify(schema)}\n`
}

function renderMessage({ role, text, media, calls }: PromptMessage): string {
  let rendered = `${role}: ${text}\n`
  for (const medium of media) rendered += renderMedium(medium)
  for (const call of calls) rendered += `${call.name}(${call.arguments})\n`
  return rendered
}

function renderMedium(medium: string): string {
  return hash('sha1', medium).padEnd(TOKENS_PER_MEDIUM * charactersPerToken, '.')
}
