import type { PromptMessage } from '../../model/prompt.ts'
import type { Block } from './parse-block.ts'
import type { Turn } from './parse-turns.ts'

/** The conversation as a model reads it: system blocks and results of tools are messages of their own. */
export function presentTurns(system: readonly Block[], turns: readonly Turn[]): PromptMessage[] {
  return [...system.map(block => messageOf('system', [block])), ...turns.flatMap(presentTurn)]
}

export function presentTurn({ role, blocks }: Turn): PromptMessage[] {
  const results = blocks.filter(block => block.type === 'tool_result')
  const others = blocks.filter(block => block.type !== 'tool_result')
  return [
    ...results.map(block => messageOf('tool', [block])),
    ...(others.length > 0 ? [messageOf(role, others)] : []),
  ]
}

export function messageOf(role: PromptMessage['role'], blocks: readonly Block[]): PromptMessage {
  return {
    role,
    text: blocks.flatMap(block => block.text || []).join('\n'),
    media: blocks.flatMap(block => block.media),
    calls: blocks.flatMap(block => block.call ?? []),
    callId: blocks[0]?.callId,
  }
}
