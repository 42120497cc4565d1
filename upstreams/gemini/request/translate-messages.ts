import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { Message } from '../../../schema/wire/chat.ts'
import type { Part, Turn } from '../wire.ts'
import { hasResults, type OpenCall, presentResults, takeResult } from './await-results.ts'
import type { Images } from './fetch-images.ts'
import { signCalls } from './sign-calls.ts'
import { translateCalls } from './translate-calls.ts'
import { translateContent, translateSaid, translateText } from './translate-content.ts'

export interface Conversation {
  /** Every system message, wherever it stood: the vendor takes none between the turns. */
  system: Part[]
  turns: Turn[]
}

interface Work extends Conversation {
  chat: ChatFlags
  images: Images
  origin: string
  calls: OpenCall[]
}

/**
 * A conversation as turns. Messages of one side in a row are one turn, those that say nothing none; the results of
 * an assistant's calls are one turn of their own.
 * Throws `invalid_request`, `missing_parameter` or `unsupported_parameter`, naming the message.
 */
export function translateMessages(
  messages: readonly Message[],
  given: { chat: ChatFlags; images: Images; origin: string },
): Conversation {
  const work: Work = { ...given, system: [], turns: [], calls: [] }
  for (const [index, message] of messages.entries()) addMessage(work, message, `messages[${index}]`)
  closeCalls(work)
  requireQuestion(work.turns)
  if (signs(work)) signCalls(work.turns)
  return { system: work.system, turns: openWithUser(work.turns) }
}

function addMessage(work: Work, message: Message, at: string): void {
  switch (message.role) {
    case 'system':
    case 'developer':
      return void work.system.push(...translateText(message.content, at))
    case 'user':
      closeCalls(work)
      return void say(work.turns, 'user', translateContent(message.content, at, work.images))
    case 'assistant':
      return void addAssistant(work, message, at)
    case 'tool': {
      const result = translateContent(message.content, at, work.images)
      return void takeResult(work.calls, { id: message.tool_call_id, at, result })
    }
    case 'function':
      throw new Problem('unsupported_parameter', {
        param: `${at}.role`,
        message: 'Functions gave way to tools: send the result with role tool.',
      })
  }
}

function addAssistant(work: Work, message: Message, at: string): void {
  if (hasResults(work.calls)) closeCalls(work)
  const made = translateCalls(message, at, { signs: signs(work), origin: work.origin })
  say(work.turns, 'model', [...translateSaid(message), ...made.map(({ part }) => part)])
  work.calls.push(...made.map(({ open }) => open))
}

/** Ends the turn of results, which must be there for every call. */
function closeCalls(work: Work): void {
  if (work.calls.length === 0) return
  const { responses, images } = presentResults(work.calls)
  work.calls = []
  say(work.turns, 'user', responses)
  say(work.turns, 'user', images)
}

function say(turns: Turn[], role: Turn['role'], parts: Part[]): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role && !last.parts.some(part => part.functionResponse)) last.parts.push(...parts)
  else turns.push({ role, parts })
}

function requireQuestion(turns: readonly Turn[]): void {
  const refuse = (message: string) => new Problem('invalid_request', { param: 'messages', message })
  const last = turns.at(-1)
  if (!last) throw refuse('The conversation needs a message that says something, beside those of the system.')
  if (last.role === 'model') {
    throw refuse(
      'The conversation must end with a message of the user or of a tool: the model does not continue answers.',
    )
  }
}

/** The vendor wants the user to begin, though many conversations open with a greeting of the assistant. */
function openWithUser(turns: Turn[]): Turn[] {
  if (turns[0]?.role === 'user') return turns
  return [{ role: 'user', parts: [{ text: '(The assistant opens the conversation.)' }] }, ...turns]
}

function signs({ chat }: Work): boolean {
  return chat.reasoning?.signatures === true
}
