import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { Message } from '../../../schema/wire/chat.ts'
import { chooseVersion } from '../choose-version.ts'
import type { ResultBlock, TextBlock, Turn } from '../wire.ts'
import { addBlocks, type Draft, finishTurns } from './draft-turns.ts'
import { type OpenCalls, openCalls, requireResults, takeResult } from './match-calls.ts'
import { translateCalls } from './translate-calls.ts'
import { translateContent, translateSaid, translateText } from './translate-content.ts'

export interface Conversation {
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
 * A conversation as turns. Messages without content are left out, results go first in their turn, ids are made valid.
 * Throws `invalid_request`, `missing_parameter` or `unsupported_parameter`, naming the message.
 */
export function translateMessages(messages: Message[], chat: ChatFlags): Conversation {
  const work: Work = { chat, system: [], draft: { turns: [], asides: [] }, calls: openCalls() }
  for (const [index, message] of messages.entries()) addMessage(work, message, `messages[${index}]`)
  requireResults(work.calls)
  return { system: work.system, turns: requireQuestion(finishTurns(work.draft), chat) }
}

function addMessage({ chat, system, draft, calls }: Work, message: Message, at: string): void {
  const last = draft.turns.at(-1)
  switch (message.role) {
    case 'system':
    case 'developer': {
      const isAside = chat.system_in_the_middle && last !== undefined
      const place = isAside ? draft.asides : system
      place.push(...translateText(message.content, at))
      break
    }
    case 'user':
      requireResults(calls)
      addBlocks(draft, 'user', translateContent(message.content, at))
      break
    case 'assistant': {
      const isSameTurn = last?.role === 'assistant' && draft.asides.length === 0
      if (!isSameTurn) requireResults(calls)
      addBlocks(draft, 'assistant', [...translateSaid(message), ...translateCalls(message, at, calls)])
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

function translateResult({ tool_call_id: id, content }: Message, at: string, calls: OpenCalls): ResultBlock {
  const blocks = translateContent(content, at)
  return {
    type: 'tool_result',
    tool_use_id: takeResult(calls, { id, at }),
    content: blocks.length > 0 ? blocks : undefined,
  }
}

/** There is something to answer. Earlier models continue an answer that was begun for them; recent ones refuse to. */
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
  const begun = Array.isArray(last.content) ? last.content.at(-1) : undefined
  if (begun?.type === 'text') begun.text = begun.text.trimEnd()
  return turns
}
