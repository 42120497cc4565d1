import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { Message } from '../../../schema/wire/chat.ts'
import { invalid, unsupported } from '../shared/refusals.ts'
import {
  awaitResult,
  type CallTurn,
  fillInSignatures,
  openCallTurn,
  presentResults,
  takeResult,
  translateCalls,
} from './calls.ts'
import { type Images, translateAnswerText, translateContent, translateText } from './content.ts'
import type { Part, Turn } from './wire.ts'

interface Conversation {
  /** All system messages of the conversation. The vendor does not accept them between turns. */
  system: Part[]
  turns: Turn[]
}

interface Work extends Conversation {
  chat: ChatFlags
  images: Images
  origin: string
  /** The tool calls of the last turn that had any. */
  callTurn: CallTurn
  /** Whether the last turn contains results, to which nothing can be added. */
  endsWithResults: boolean
}

/**
 * Translates a conversation to turns. Consecutive messages of one side become one turn, and empty messages are left
 * out. The results of an assistant's calls are a separate turn. Throws `invalid_request`, `missing_parameter` or
 * `unsupported_parameter` with the message.
 */
export function translateMessages(
  messages: readonly Message[],
  options: { chat: ChatFlags; images: Images; origin: string },
): Conversation {
  const work: Work = { ...options, system: [], turns: [], callTurn: openCallTurn(), endsWithResults: false }
  for (const [index, message] of messages.entries()) addMessage(work, message, `messages[${index}]`)
  closeCalls(work)
  // Other vendors answer a conversation of only system messages. Here, the last of them becomes a user's message.
  const question = work.turns.length === 0 ? work.system.pop() : undefined
  if (question) addParts(work, 'user', [question])
  requireAnswerable(work.turns)
  if (signs(work)) fillInSignatures(work.turns)
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
      addParts(work, 'user', translateContent(message.content, at, work.images))
      break
    case 'assistant':
      addAssistant(work, message, at)
      break
    case 'tool': {
      const parts = translateContent(message.content, at, work.images)
      const result = { parts, isError: message.is_error === true }
      takeResult(work.callTurn, { id: message.tool_call_id, at, result })
      break
    }
    case 'function':
      throw unsupported(`${at}.role`, 'Functions gave way to tools: send the result with role tool.')
  }
}

function addAssistant(work: Work, message: Message, at: string): void {
  if (work.callTurn.hasResults) closeCalls(work)
  const made = translateCalls(message, at, { signs: signs(work), origin: work.origin })
  addParts(work, 'model', [...translateAnswerText(message), ...made.map(({ part }) => part)])
  for (const { open } of made) awaitResult(work.callTurn, open)
}

/** Adds the turn of results. Every call must have a result. */
function closeCalls(work: Work): void {
  if (work.callTurn.calls.length === 0) return
  const { responses, media } = presentResults(work.callTurn, { mayHoldMedia: signs(work) })
  work.callTurn = openCallTurn()
  work.turns.push({ role: 'user', parts: responses })
  work.endsWithResults = true
  addParts(work, 'user', media)
}

/** Adds parts to the last turn if it has this role, or else begins a turn. An empty list begins no turn. */
function addParts(work: Work, role: Turn['role'], parts: Part[]): void {
  if (parts.length === 0) return
  const last = work.turns.at(-1)
  if (last?.role === role && !work.endsWithResults) for (const part of parts) last.parts.push(part)
  else work.turns.push({ role, parts: [...parts] })
  work.endsWithResults = false
}

/**
 * Refuses a conversation that the model cannot answer: without turns, or ending with the assistant.
 */
function requireAnswerable(turns: readonly Turn[]): void {
  const refuse = (message: string) => invalid('messages', message)
  const last = turns.at(-1)
  if (!last) throw refuse('The conversation needs a message with content, besides system messages.')
  if (last.role === 'model') {
    throw refuse(
      'The conversation must end with a message of the user or of a tool: the model does not continue answers.',
    )
  }
}

/** The vendor requires the user to begin, but many conversations begin with a greeting of the assistant. */
function openWithUser(turns: Turn[]): Turn[] {
  if (turns[0]?.role === 'user') return turns
  return [{ role: 'user', parts: [{ text: '(The assistant opens the conversation.)' }] }, ...turns]
}

function signs({ chat }: Work): boolean {
  return chat.reasoning?.signatures === true
}
