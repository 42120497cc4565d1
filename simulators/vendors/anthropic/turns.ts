import type { PromptCall, PromptMessage } from '../model/prompt.ts'
import { refuse, refuseField } from './errors.ts'
import type { MessageBody, WireBlock, WireContent } from './shape.ts'

export interface Turn {
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly Block[]
}

/** The parts of a content block that a model reads. */
export interface Block {
  readonly type: WireBlock['type']
  readonly text: string
  readonly media: readonly string[]
  readonly call: PromptCall | undefined
  /** The ID of the call that a result answers. */
  readonly callId: string | undefined
  /** Whether the block is a breakpoint of the prompt cache. */
  readonly isMarked: boolean
}

const allowedTypes: Readonly<Record<Turn['role'], readonly Block['type'][]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'tool_use', 'thinking', 'redacted_thinking'],
  system: ['text'],
}

/** Parses the messages and checks their order. */
export function readTurns({ messages }: MessageBody, { isRecent }: { isRecent: boolean }): Turn[] {
  const turns = messages.map(({ role, content }, index) => {
    const blocks = readContent(content, role, `messages.${index}.content`)
    if (blocks.length > 0) return { role, blocks }
    const message = `messages.${index}: all messages must have non-empty content except for the optional final assistant message`
    throw refuse(400, message)
  })
  checkTurns(turns, isRecent)
  return turns
}

/** Parses the content of a message, or `system`. */
export function readContent(content: WireContent, role: Turn['role'], at: string): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [readBlock({ type: 'text', text: content })]
  for (const [index, { type }] of content.entries()) {
    if (!allowedTypes[role].includes(type))
      throw refuseField(`${at}.${index}`, `\`${type}\` blocks are not permitted here`)
  }
  return content.map(readBlock)
}

function readBlock(wire: WireBlock): Block {
  const isMarked = wire.cache_control != null
  const block = { type: wire.type, text: '', media: [], call: undefined, callId: undefined, isMarked }
  switch (wire.type) {
    case 'text':
      return { ...block, text: wire.text }
    case 'image':
    case 'document':
      return { ...block, media: [mediumOf(wire.source)] }
    case 'tool_use':
      return { ...block, call: { id: wire.id, name: wire.name, arguments: JSON.stringify(wire.input) } }
    case 'tool_result': {
      const { content = '' } = wire
      const blocks = typeof content === 'string' ? [{ ...block, text: content }] : content.map(readBlock)
      return {
        ...block,
        callId: wire.tool_use_id,
        text: textOf(blocks),
        media: blocks.flatMap(({ media }) => media),
      }
    }
    case 'thinking':
      return { ...block, text: wire.thinking }
    case 'redacted_thinking':
      return { ...block, text: wire.data }
  }
}

/** Returns the URL, the file ID or the data of an image or document. */
function mediumOf(source: Extract<WireBlock, { type: 'image' | 'document' }>['source']): string {
  if (source.type === 'url') return source.url
  return source.type === 'file' ? source.file_id : source.data
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap(block => block.text || []).join('\n')
}

/** Checks the order of turns: system messages, the last turn, and the result of each call in the next turn. */
function checkTurns(turns: readonly Turn[], isRecent: boolean): void {
  checkEnd(turns, isRecent)
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'system') checkSystem(turns, index, isRecent)
    if (turn.role === 'user') checkResults(turn, index, turns[index - 1])
    if (turn.role === 'assistant') checkCalls(turn, index, turns[index + 1])
  }
  if (hasDuplicates(turns.flatMap(turn => turn.blocks).flatMap(block => block.call?.id ?? [])))
    throw refuse(400, 'messages: `tool_use` ids must be unique')
}

function checkEnd(turns: readonly Turn[], isRecent: boolean): void {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return
  if (isRecent) {
    const message =
      'This model does not support assistant message prefill. The conversation must end with a user message.'
    throw refuse(400, message)
  }
  const end = last.blocks.at(-1)
  if (end?.type === 'text' && end.text !== end.text.trimEnd())
    throw refuse(400, 'messages: final assistant content cannot end with trailing whitespace')
}

function checkSystem(turns: readonly Turn[], index: number, isRecent: boolean): void {
  const path = `messages.${index}`
  if (!isRecent) throw refuseField(`${path}.role`, "role 'system' is not supported on this model")
  if (turns[index - 1]?.role !== 'user') throw refuseField(path, "role 'system' must follow a 'user' message")
  const next = turns[index + 1]
  if (next && next.role !== 'assistant')
    throw refuseField(path, "role 'system' must be the last message or be followed by an 'assistant' message")
}

function checkResults({ blocks }: Turn, index: number, before: Turn | undefined): void {
  const firstOther = blocks.findIndex(block => block.type !== 'tool_result')
  for (const [position, { type, callId }] of blocks.entries()) {
    if (type !== 'tool_result') continue
    const at = `messages.${index}.content.${position}`
    if (firstOther >= 0 && position > firstOther)
      throw refuseField(at, '`tool_result` blocks must come before all other content')
    if (callId === undefined || !callIdsOf(before).includes(callId)) {
      throw refuseField(
        at,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${callId}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
  }
  if (hasDuplicates(blocks.flatMap(block => block.callId ?? [])))
    throw refuseField(`messages.${index}`, 'each tool_use must have a single result')
}

function checkCalls(turn: Turn, index: number, next: Turn | undefined): void {
  const answered = next?.role === 'user' ? next.blocks.map(block => block.callId) : []
  const open = callIdsOf(turn).filter(id => !answered.includes(id))
  if (open.length === 0) return
  throw refuseField(
    `messages.${index}`,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

function callIdsOf(turn: Turn | undefined): string[] {
  return turn?.role === 'assistant' ? turn.blocks.flatMap(block => block.call?.id ?? []) : []
}

function hasDuplicates(ids: readonly string[]): boolean {
  return new Set(ids).size < ids.length
}

/** Converts a turn for the model. Each tool result becomes a separate message. */
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
    text: textOf(blocks),
    media: blocks.flatMap(block => block.media),
    calls: blocks.flatMap(block => block.call ?? []),
    callId: blocks[0]?.callId,
  }
}
