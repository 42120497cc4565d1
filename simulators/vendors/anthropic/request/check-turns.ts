import { refuse } from '../refuse.ts'
import type { Block } from './parse-block.ts'
import type { Turn } from './parse-turns.ts'
import { refuseField } from './read-fields.ts'

/** Checks how turns follow each other: system messages, the end, and every call with its result right after it. */
export function checkTurns(turns: readonly Turn[], { isRecent }: { isRecent: boolean }): void {
  checkEnd(turns, isRecent)
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'system') checkSystem(turns, index, isRecent)
    if (turn.role === 'user') checkResults(turn, index, turns[index - 1])
    if (turn.role === 'assistant') checkCalls(turn, index, turns[index + 1])
  }
  const ids = turns.flatMap(turn => turn.blocks).flatMap(block => block.call?.id ?? [])
  if (new Set(ids).size < ids.length) throw refuse(400, 'messages: `tool_use` ids must be unique')
}

function checkEnd(turns: readonly Turn[], isRecent: boolean): void {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return
  if (isRecent) {
    throw refuse(
      400,
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  }
  const end = last.blocks.at(-1)
  if (end?.type === 'text' && end.text !== end.text.trimEnd())
    throw refuse(400, 'messages: final assistant content cannot end with trailing whitespace')
}

function checkSystem(turns: readonly Turn[], index: number, isRecent: boolean): void {
  const at = `messages.${index}`
  if (!isRecent) throw refuseField(`${at}.role`, "role 'system' is not supported on this model")
  if (turns[index - 1]?.role !== 'user') throw refuseField(at, "role 'system' must follow a 'user' message")
  const next = turns[index + 1]
  if (next && next.role !== 'assistant')
    throw refuseField(at, "role 'system' must be the last message or be followed by an 'assistant' message")
}

function checkResults({ blocks }: Turn, index: number, before: Turn | undefined): void {
  const firstOther = blocks.findIndex(block => block.type !== 'tool_result')
  for (const [position, { type, callId }] of blocks.entries()) {
    if (type !== 'tool_result') continue
    const at = `messages.${index}.content.${position}`
    if (firstOther >= 0 && position > firstOther)
      throw refuseField(at, '`tool_result` blocks must come before all other content')
    if (callId === undefined || !idsOf(before).includes(callId)) {
      throw refuseField(
        at,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${callId}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
  }
  const answered = blocks.flatMap(block => block.callId ?? [])
  if (new Set(answered).size < answered.length)
    throw refuseField(`messages.${index}`, 'each tool_use must have a single result')
}

function checkCalls(turn: Turn, index: number, next: Turn | undefined): void {
  const answered = next?.role === 'user' ? next.blocks.flatMap((block: Block) => block.callId ?? []) : []
  const open = idsOf(turn).filter(id => !answered.includes(id))
  if (open.length === 0) return
  throw refuseField(
    `messages.${index}`,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

function idsOf(turn: Turn | undefined): string[] {
  return turn?.role === 'assistant' ? turn.blocks.flatMap(block => block.call?.id ?? []) : []
}
