import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { Message } from '../../../schema/wire/chat.ts'
import {
  awaitResult,
  type CallTurn,
  openCallTurn,
  presentResults,
  signCalls,
  takeResult,
  translateCalls,
} from './calls.ts'
import { type Images, translateContent, translateSaid, translateText } from './content.ts'
import type { Part, Turn } from './wire.ts'

interface Conversation {
  /** Every system message, wherever it stood: the vendor takes none between the turns. */
  system: Part[]
  turns: Turn[]
}

interface Work extends Conversation {
  chat: ChatFlags
  images: Images
  origin: string
  /** The turn that calls of tools were last made in. */
  made: CallTurn
  /** Whether the last turn holds results, which stand alone. */
  endsWithResults: boolean
}

/**
 * A conversation as turns. Messages of one side in a row are one turn, those that say nothing none; the
 * results of an assistant's calls are one turn of their own. Throws `invalid_request`, `missing_parameter` or
 * `unsupported_parameter`, naming the message.
 */
export function translateMessages(
  messages: readonly Message[],
  given: { chat: ChatFlags; images: Images; origin: string },
): Conversation {
  const work: Work = { ...given, system: [], turns: [], made: openCallTurn(), endsWithResults: false }
  for (const [index, message] of messages.entries()) addMessage(work, message, `messages[${index}]`)
  closeCalls(work)
  // A prompt of the system alone is a question: other vendors answer it.
  const asked = work.turns.length === 0 ? work.system.pop() : undefined
  if (asked) say(work, 'user', [asked])
  requireQuestion(work.turns)
  if (signs(work)) signCalls(work.turns)
  return { system: work.system, turns: openWithUser(work.turns) }
}

function addMessage(work: Work, message: Message, at: string): void {
  switch (message.role) {
    case 'system':
    case 'developer':
      for (const part of translateText(message.content, at)) work.system.push(part)
      break
    case 'user':
      closeCalls(work)
      say(work, 'user', translateContent(message.content, at, work.images))
      break
    case 'assistant':
      addAssistant(work, message, at)
      break
    case 'tool': {
      const parts = translateContent(message.content, at, work.images)
      const result = { parts, isError: message.is_error === true }
      takeResult(work.made, { id: message.tool_call_id, at, result })
      break
    }
    case 'function':
      throw new Problem('unsupported_parameter', {
        param: `${at}.role`,
        message: 'Functions gave way to tools: send the result with role tool.',
      })
  }
}

function addAssistant(work: Work, message: Message, at: string): void {
  if (work.made.hasResults) closeCalls(work)
  const made = translateCalls(message, at, { signs: signs(work), origin: work.origin })
  say(work, 'model', [...translateSaid(message), ...made.map(({ part }) => part)])
  for (const { open } of made) awaitResult(work.made, open)
}

/** Ends the turn of results, which must be there for every call. */
function closeCalls(work: Work): void {
  if (work.made.calls.length === 0) return
  const { responses, media } = presentResults(work.made, { mayShow: signs(work) })
  work.made = openCallTurn()
  work.turns.push({ role: 'user', parts: responses })
  work.endsWithResults = true
  say(work, 'user', media)
}

/** Adds to the turn of this side, or begins it. What says nothing begins no turn. */
function say(work: Work, role: Turn['role'], parts: Part[]): void {
  if (parts.length === 0) return
  const last = work.turns.at(-1)
  if (last?.role === role && !work.endsWithResults) for (const part of parts) last.parts.push(part)
  else work.turns.push({ role, parts: [...parts] })
  work.endsWithResults = false
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
