import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { Message } from '../../../schema/wire/chat.ts'
import { markAs, toMark } from './caching.ts'
import { type OpenCalls, openCalls, requireResults, takeResult, translateCalls } from './calls.ts'
import { translateContent, translateSaid, translateText, translateThoughts } from './content.ts'
import { type Block, chooseVersion, type ResultBlock, type TextBlock, type Turn } from './wire.ts'

interface Conversation {
  /** The system messages before all others; every one, where the model takes none in the middle. */
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
 * A conversation as turns. Messages without content are left out, results go first in their turn, ids are
 * made valid. Throws `invalid_request`, `missing_parameter` or `unsupported_parameter`, naming the message.
 */
export function translateMessages(messages: Message[], chat: ChatFlags): Conversation {
  const work: Work = { chat, system: [], draft: { turns: [], asides: [] }, calls: openCalls() }
  for (const [index, message] of messages.entries()) addMessage(work, message, `messages[${index}]`)
  requireResults(work.calls)
  const turns = finishTurns(work.draft)
  // A prompt of the system alone is a question: other vendors answer it.
  const asked = turns.length === 0 ? work.system.pop() : undefined
  if (asked) turns.push({ role: 'user', content: [asked] })
  return { system: work.system, turns: requireQuestion(turns, chat) }
}

function addMessage({ chat, system, draft, calls }: Work, message: Message, at: string): void {
  const last = draft.turns.at(-1)
  switch (message.role) {
    case 'system':
    case 'developer': {
      const isAside = chat.system_in_the_middle && last !== undefined
      const place = isAside ? draft.asides : system
      for (const block of markAs(translateText(message.content, at), message)) place.push(block)
      break
    }
    case 'user':
      requireResults(calls)
      addBlocks(draft, 'user', markAs(translateContent(message.content, at), message))
      break
    case 'assistant': {
      const isSameTurn = last?.role === 'assistant' && draft.asides.length === 0
      if (!isSameTurn) requireResults(calls)
      addBlocks(draft, 'assistant', translateAnswer(message, at, calls))
      break
    }
    case 'tool':
      addBlocks(draft, 'user', [translateResult(message, at, calls)])
      break
    case 'function':
      throw new Problem('unsupported_parameter', {
        param: `${at}.role`,
        message: 'Functions gave way to tools: send the result with role tool.',
      })
  }
}

/** Thoughts of an assistant that neither said nor did anything are left out with the rest of its message. */
function translateAnswer(message: Message, at: string, calls: OpenCalls): Block[] {
  const said = [...translateSaid(message), ...translateCalls(message, at, calls)]
  return said.length > 0 ? [...translateThoughts(message), ...markAs(said, message)] : []
}

/** A breakpoint of the cache within a result is one of the whole result: the vendor takes it there. */
function translateResult(message: Message, at: string, calls: OpenCalls): ResultBlock {
  const blocks = translateContent(message.content, at)
  const inner = blocks.find(({ cache_control: mark }) => mark)?.cache_control
  for (const block of blocks) block.cache_control = undefined
  return {
    type: 'tool_result',
    tool_use_id: takeResult(calls, { id: message.tool_call_id, at }),
    content: blocks.length > 0 ? blocks : undefined,
    is_error: message.is_error === true ? true : undefined,
    cache_control: message.cache_control ? toMark(message.cache_control) : inner,
  }
}

/**
 * There is something to answer. Earlier models continue an answer that was begun for them; recent ones refuse
 * to.
 */
function requireQuestion(turns: Turn[], chat: ChatFlags): Turn[] {
  const refuse = (message: string) => new Problem('invalid_request', { param: 'messages', message })
  const last = turns.at(-1)
  if (!last) throw refuse('The conversation needs a message that says something, beside those of the system.')
  if (last.role !== 'assistant') return turns
  if (chooseVersion(chat) === '2026-10-21') {
    throw refuse(
      'The conversation must end with a message of the user or of a tool: the model does not continue answers.',
    )
  }
  const begun = last.content.at(-1)
  if (begun?.type === 'text') begun.text = begun.text.trimEnd()
  return turns
}

/** Turns being put together. Messages of one role in a row are one turn. */
interface Draft {
  turns: DraftTurn[]
  /** System messages that wait for the end of the user's turn: the vendor takes them nowhere else. */
  asides: TextBlock[]
}

interface DraftTurn {
  role: 'user' | 'assistant' | 'system'
  blocks: Block[]
}

/** Adds to the turn of this role, or begins it. What says nothing begins no turn. */
function addBlocks(draft: Draft, role: 'user' | 'assistant', blocks: Block[]): void {
  if (blocks.length === 0) return
  if (role === 'assistant') placeAsides(draft)
  const last = draft.turns.at(-1)
  if (last?.role !== role) draft.turns.push({ role, blocks: [...blocks] })
  else for (const block of blocks) last.blocks.push(block)
}

/**
 * The turns as they are sent. Of an assistant's messages thoughts come first, and calls last: results must
 * follow them.
 */
function finishTurns(draft: Draft): Turn[] {
  placeAsides(draft)
  return draft.turns.map(({ role, blocks }): Turn => {
    const said = blocks.filter(block => block.type === 'text')
    if (role === 'system') return { role, content: said }
    if (role === 'user') return { role, content: blocks }
    const thought = blocks.filter(({ type }) => isThought(type))
    const called = blocks.filter(({ type }) => type !== 'text' && !isThought(type))
    return { role, content: [...thought, ...said, ...called] }
  })
}

function isThought(type: Block['type']): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** A system message stands after a user's turn. Where there is none, the user says it. */
function placeAsides(draft: Draft): void {
  if (draft.asides.length === 0) return
  const role = draft.turns.at(-1)?.role === 'user' ? 'system' : 'user'
  draft.turns.push({ role, blocks: draft.asides })
  draft.asides = []
}
