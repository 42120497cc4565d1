import type { PromptMessage } from '../../model/prompt.ts'
import type { FunctionResponse, Part } from './parse-part.ts'
import type { Turn } from './parse-turns.ts'

/** The conversation as a model reads it: the system's parts and responses of functions are messages of their own. */
export function presentTurns(system: readonly Part[], turns: readonly Turn[]): PromptMessage[] {
  return [...system.map(part => messageOf('system', [part])), ...turns.flatMap(presentTurn)]
}

function presentTurn({ role, parts }: Turn): PromptMessage[] {
  const responses = parts.flatMap(part => part.response ?? [])
  const others = parts.filter(part => !part.response)
  const said = messageOf(role === 'model' ? 'assistant' : 'user', others)
  return [...responses.map(presentResponse), ...(others.length > 0 ? [said] : [])]
}

function presentResponse({ id, name, text, media }: FunctionResponse): PromptMessage {
  return { role: 'tool', text, media, calls: [], callId: id ?? name }
}

function messageOf(role: PromptMessage['role'], parts: readonly Part[]): PromptMessage {
  return {
    role,
    text: parts.flatMap(part => part.text || []).join('\n'),
    media: parts.flatMap(part => part.media),
    calls: parts.flatMap(({ call }) => (call ? [{ ...call, id: call.id ?? call.name }] : [])),
    callId: undefined,
  }
}
