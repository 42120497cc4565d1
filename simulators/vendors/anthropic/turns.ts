import type { PromptCall, PromptMessage } from '../model/prompt.ts'
import { refuse, refuseField } from './host.ts'
import type { MessageBody, WireBlock } from './shape.ts'

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

/** Reads the messages and checks their order. */
export function readTurns({ messages }: MessageBody, { isRecent }: { isRecent: boolean }): Turn[] {
  const turns = messages.map(({ role, content }) => ({ role, blocks: content.map(readBlock) }))
  if (turns.at(-1)?.role === 'assistant') {
    if (isRecent) throw refuse(400, 'This model does not support assistant message prefill.')
    if (/\s$/.test(turns.at(-1)?.blocks.at(-1)?.text ?? ''))
      throw refuse(400, 'messages: final assistant content cannot end with trailing whitespace')
  }
  for (const [index, turn] of turns.entries()) {
    const at = `messages.${index}`
    const [before, after] = [turns[index - 1], turns[index + 1]]
    if (turn.role === 'system') {
      if (!isRecent) throw refuseField("role 'system' is not supported on this model", at)
      if (before?.role !== 'user' || (after && after.role !== 'assistant'))
        throw refuseField("role 'system' must follow a 'user' message and precede an 'assistant' message", at)
    }
    if (turn.role === 'user') checkResults(turn, at, before)
    if (idsOf(turn, 'call').some(id => !idsOf(after, 'callId').includes(id)))
      throw refuseField('`tool_use` ids were found without `tool_result` blocks immediately after', at)
  }
  const ids = turns.flatMap(turn => idsOf(turn, 'call'))
  if (new Set(ids).size < ids.length) throw refuse(400, 'messages: `tool_use` ids must be unique')
  return turns
}

function checkResults(turn: Turn, at: string, before: Turn | undefined): void {
  const results = idsOf(turn, 'callId')
  if (turn.blocks.slice(0, results.length).some(({ callId }) => callId === undefined))
    throw refuseField('`tool_result` blocks must come before all other content', at)
  if (results.some(id => !idsOf(before, 'call').includes(id)))
    throw refuseField('unexpected `tool_use_id` found in `tool_result` blocks', at)
  if (new Set(results).size < results.length) throw refuseField('each tool_use must have a single result', at)
}

/** Returns the IDs of a turn's calls, or of the calls that its results answer. */
function idsOf(turn: Turn | undefined, kind: 'call' | 'callId'): string[] {
  return (turn?.blocks ?? []).flatMap(({ call, callId }) => (kind === 'call' ? call?.id : callId) ?? [])
}

export function readBlock(wire: WireBlock): Block {
  const isMarked = wire.cache_control != null
  const block = { type: wire.type, text: '', media: [], call: undefined, callId: undefined, isMarked }
  switch (wire.type) {
    case 'text':
      return { ...block, text: wire.text }
    case 'image':
    case 'document': {
      const { source } = wire
      const medium =
        source.type === 'url' ? source.url : source.type === 'file' ? source.file_id : source.data
      return { ...block, media: [medium] }
    }
    case 'tool_use':
      return { ...block, call: { id: wire.id, name: wire.name, arguments: JSON.stringify(wire.input) } }
    case 'tool_result': {
      const { text, media } = messageOf('tool', (wire.content ?? []).map(readBlock))
      return { ...block, callId: wire.tool_use_id, text, media: [...media] }
    }
    default:
      return { ...block, text: wire.type === 'thinking' ? wire.thinking : wire.data }
  }
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
    text: blocks.flatMap(block => block.text || []).join('\n'),
    media: blocks.flatMap(block => block.media),
    calls: blocks.flatMap(block => block.call ?? []),
    callId: blocks[0]?.callId,
  }
}
