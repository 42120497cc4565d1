import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { Message } from '../../../schema/wire/chat.ts'
import { invalid, unsupported } from '../shared/refusals.ts'
import { toCacheControl, withCacheControl } from './caching.ts'
import { type OpenCalls, openCalls, translateCalls } from './calls.ts'
import { translateAnswerText, translateContent, translateText, translateThinking } from './content.ts'
import { type Block, chooseVersion, type ResultBlock, type TextBlock, type Turn } from './wire.ts'

interface Conversation {
  /** The system messages at the beginning, or all of them if the model does not accept them in the middle. */
  system: TextBlock[]
  turns: Turn[]
}

interface Work {
  chat: ChatFlags
  system: TextBlock[]
  draft: Draft
  calls: OpenCalls
}

/**
 * Translates a conversation to turns. Empty messages are left out, tool results come first in their turn, and IDs of
 * calls are made valid. Throws `invalid_request`, `missing_parameter` or `unsupported_parameter` with the message.
 */
export function translateMessages(messages: Message[], chat: ChatFlags): Conversation {
  const work: Work = { chat, system: [], draft: { turns: [], waitingSystem: [] }, calls: openCalls() }
  for (const [index, message] of messages.entries()) addMessage(work, message, `messages[${index}]`)
  work.calls.awaited.requireNone()
  const turns = finishTurns(work.draft)
  // Other vendors answer a conversation of only system messages. Here, the last of them becomes a user's message.
  const question = turns.length === 0 ? work.system.pop() : undefined
  if (question) turns.push({ role: 'user', content: [question] })
  return { system: work.system, turns: requireAnswerable(turns, chat) }
}

function addMessage({ chat, system, draft, calls }: Work, message: Message, at: string): void {
  const last = draft.turns.at(-1)
  switch (message.role) {
    case 'system':
    case 'developer': {
      const isInTheMiddle = chat.system_in_the_middle && last !== undefined
      const place = isInTheMiddle ? draft.waitingSystem : system
      for (const block of withCacheControl(translateText(message.content, at), message)) place.push(block)
      break
    }
    case 'user':
      calls.awaited.requireNone()
      addBlocks(draft, 'user', withCacheControl(translateContent(message.content, at), message))
      break
    case 'assistant': {
      const isSameTurn = last?.role === 'assistant' && draft.waitingSystem.length === 0
      if (!isSameTurn) calls.awaited.requireNone()
      addBlocks(draft, 'assistant', translateAnswer(message, at, calls))
      break
    }
    case 'tool':
      addBlocks(draft, 'user', [translateResult(message, at, calls)])
      break
    case 'function':
      throw unsupported(`${at}.role`, 'Functions gave way to tools: send the result with role tool.')
  }
}

/** Translates an assistant's message. Without text or calls, its thinking is left out too. */
function translateAnswer(message: Message, at: string, calls: OpenCalls): Block[] {
  const blocks = [...translateAnswerText(message), ...translateCalls(message, at, calls)]
  return blocks.length > 0 ? [...translateThinking(message), ...withCacheControl(blocks, message)] : []
}

/**
 * Translates a tool's result. The vendor accepts breakpoints of the cache only on whole results, so a breakpoint within
 * the result becomes one of the result.
 */
function translateResult(message: Message, at: string, calls: OpenCalls): ResultBlock {
  const blocks = translateContent(message.content, at)
  const inner = blocks.find(block => block.cache_control)?.cache_control
  const mark = message.cache_control ? toCacheControl(message.cache_control) : inner
  return {
    type: 'tool_result',
    tool_use_id: calls.awaited.take({ id: message.tool_call_id, at }).sentId,
    ...(blocks.length > 0 && {
      content: inner ? blocks.map(({ cache_control: _, ...block }) => block) : blocks,
    }),
    ...(message.is_error === true && { is_error: true }),
    ...(mark && { cache_control: mark }),
  }
}

/**
 * Refuses a conversation that the model cannot answer: without turns, or ending with the assistant, which only earlier
 * models continue. These models refuse trailing white space, so it is removed.
 */
function requireAnswerable(turns: Turn[], chat: ChatFlags): Turn[] {
  const refuse = (message: string) => invalid('messages', message)
  const last = turns.at(-1)
  if (!last) throw refuse('The conversation needs a message with content, besides system messages.')
  if (last.role !== 'assistant') return turns
  if (chooseVersion(chat) === '2026-10-21') {
    throw refuse(
      'The conversation must end with a message of the user or of a tool: the model does not continue answers.',
    )
  }
  const block = last.content.at(-1)
  if (block?.type === 'text') block.text = block.text.trimEnd()
  return turns
}

/** Turns under construction. Messages of one role in a row become one turn. */
interface Draft {
  turns: DraftTurn[]
  /** System messages that wait for the end of the user's turn, because the vendor accepts them only there. */
  waitingSystem: TextBlock[]
}

interface DraftTurn {
  role: 'user' | 'assistant' | 'system'
  blocks: Block[]
}

/** Adds blocks to the last turn if it has this role, or else begins a turn. An empty list begins no turn. */
function addBlocks(draft: Draft, role: 'user' | 'assistant', blocks: Block[]): void {
  if (blocks.length === 0) return
  if (role === 'assistant') placeWaitingSystem(draft)
  const last = draft.turns.at(-1)
  if (last?.role !== role) draft.turns.push({ role, blocks: [...blocks] })
  else for (const block of blocks) last.blocks.push(block)
}

/**
 * Returns the turns in the vendor's order. In an assistant's turn, thinking comes first and calls last, because results
 * must follow them.
 */
function finishTurns(draft: Draft): Turn[] {
  placeWaitingSystem(draft)
  return draft.turns.map(({ role, blocks }): Turn => {
    const text = blocks.filter(block => block.type === 'text')
    if (role === 'system') return { role, content: text }
    if (role === 'user') return { role, content: blocks }
    const thinking = blocks.filter(({ type }) => isThinking(type))
    const calls = blocks.filter(({ type }) => type !== 'text' && !isThinking(type))
    return { role, content: [...thinking, ...text, ...calls] }
  })
}

function isThinking(type: Block['type']): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** A system message follows a user's turn. If there is none, it is sent as a user's message. */
function placeWaitingSystem(draft: Draft): void {
  if (draft.waitingSystem.length === 0) return
  const role = draft.turns.at(-1)?.role === 'user' ? 'system' : 'user'
  draft.turns.push({ role, blocks: draft.waitingSystem })
  draft.waitingSystem = []
}
