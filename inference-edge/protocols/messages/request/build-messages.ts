import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { Message, ToolCall } from '../../../../schema/wire/chat.ts'
import * as wire from '../../../../schema/wire/messages.ts'
import type { ParamNames } from '../../param-names.ts'
import { buildAllParts, buildParts, cacheControlOf, contentOf, type PlacedPart } from './build-content.ts'

const checkResult = openCheck(wire.ToolResultBlock)
const checkCall = openCheck(wire.ToolUseBlock)
const checkThinking = openCheck(wire.ThinkingBlock)
const checkRedacted = openCheck(wire.RedactedThinkingBlock)

interface Work {
  messages: Message[]
  paramNames: ParamNames
  /** Parts of all messages so far, those within results included. */
  parts: number
}

/**
 * The turns as chat messages, `system` first. Results of tools become messages of their own, before what else the
 * user says. What says nothing is left out. Throws Problem, naming the block. Notes in `paramNames` where each message,
 * and each part of it, came from.
 */
export function buildMessages(
  { system, messages: turns }: Pick<wire.MessagesRequest, 'system' | 'messages'>,
  paramNames: ParamNames,
): Message[] {
  boundBlocks(turns)
  const work: Work = { messages: [], paramNames, parts: 0 }
  if (system) addSystem(work, system, 'system', 'system')
  for (const [index, { role, content }] of turns.entries()) {
    const at = `messages[${index}]`
    if (role === 'system') addSystem(work, content, at, `${at}.content`)
    else if (role === 'user') addUser(work, content, at)
    else addAssistant(work, content, at)
  }
  if (work.messages.length > 0) return work.messages
  const message = 'messages has nothing that a model could answer.'
  throw new Problem('invalid_request', { param: 'messages', message })
}

function boundBlocks(turns: wire.Turn[]): void {
  let blocks = 0
  for (const { content } of turns) blocks += typeof content === 'string' ? 1 : content.length
  if (blocks > wire.messagesBounds.blocks) throw refuseBlocks()
}

function refuseBlocks(): Problem {
  const message = `messages may hold at most ${wire.messagesBounds.blocks} content blocks in all.`
  return new Problem('invalid_request', { param: 'messages', message })
}

/** A line by which a client tells its own vendor who pays. It differs from request to request: no prefix would be cached. */
const billingHeader = /^x-anthropic-billing-header:/

function addSystem(work: Work, content: string | wire.Block[], at: string, contentAt: string): void {
  const parts = buildAllParts(content, contentAt).filter(
    ({ part }) => !('text' in part && typeof part.text === 'string' && billingHeader.test(part.text)),
  )
  if (parts.length > 0) add(work, { role: 'system', content: contentOf(parts) }, { at, contentAt, parts })
}

function addUser(work: Work, content: string | wire.Block[], at: string): void {
  const contentAt = `${at}.content`
  const parts: PlacedPart[] = typeof content === 'string' ? buildAllParts(content, contentAt) : []
  for (const [index, block] of typeof content === 'string' ? [] : content.entries()) {
    const place = `${contentAt}[${index}]`
    if (block.type === 'tool_result') addResult(work, block, place)
    else parts.push(...buildParts(block, place))
  }
  if (parts.length > 0) add(work, { role: 'user', content: contentOf(parts) }, { at, contentAt, parts })
}

function addResult(work: Work, block: wire.Block, at: string): void {
  const { tool_use_id, content, is_error, cache_control } = checkResult(block, at)
  const contentAt = `${at}.content`
  const parts = buildAllParts(content ?? '', contentAt)
  const message: Message = {
    role: 'tool',
    tool_call_id: tool_use_id,
    content: parts.length > 0 ? contentOf(parts) : '',
    ...(is_error && { is_error }),
    ...cacheControlOf(cache_control),
  }
  add(work, message, { at, contentAt, parts })
}

/** Traces of the vendor's own tools are left out, as is every block that only its own vendor could read. */
function addAssistant(work: Work, content: string | wire.Block[], at: string): void {
  const contentAt = `${at}.content`
  const said: PlacedPart[] = typeof content === 'string' ? buildAllParts(content, contentAt) : []
  const thoughts: wire.Thought[] = []
  const calls: { at: string; call: ToolCall }[] = []
  for (const [index, block] of typeof content === 'string' ? [] : content.entries()) {
    const place = `${contentAt}[${index}]`
    if (block.type === 'text') said.push(...buildParts(block, place))
    else if (block.type === 'thinking') {
      const { thinking, signature } = checkThinking(block, place)
      thoughts.push({ type: 'thinking', thinking, signature: signature ?? '' })
    } else if (block.type === 'redacted_thinking') {
      thoughts.push({ type: 'redacted_thinking', data: checkRedacted(block, place).data })
    } else if (block.type === 'tool_use') calls.push({ at: place, call: buildCall(block, place) })
  }
  if (said.length === 0 && thoughts.length === 0 && calls.length === 0) return
  const message: Message = {
    role: 'assistant',
    content: said.length > 0 ? contentOf(said) : null,
    ...(thoughts.length > 0 && { thinking_blocks: thoughts }),
    ...(calls.length > 0 && { tool_calls: calls.map(({ call }) => call) }),
  }
  const place = add(work, message, { at, contentAt, parts: said })
  for (const [index, call] of calls.entries()) work.paramNames.set(`${place}.tool_calls[${index}]`, call.at)
}

function buildCall(block: wire.Block, at: string): ToolCall {
  const { id, name, input, cache_control } = checkCall(block, at)
  const called = { name, arguments: JSON.stringify(input ?? {}) }
  return { id, type: 'function', function: called, ...cacheControlOf(cache_control) }
}

/** Adds a message, and notes where it came from. Answers its place in the chat request. Throws for too many parts. */
function add(
  work: Work,
  message: Message,
  { at, contentAt, parts }: { at: string; contentAt: string; parts: PlacedPart[] },
): string {
  work.parts += parts.length
  if (work.parts > wire.messagesBounds.blocks) throw refuseBlocks()
  const { messages, paramNames } = work
  const place = `messages[${messages.push(message) - 1}]`
  paramNames.set(place, at).set(`${place}.content`, contentAt)
  if (Array.isArray(message.content)) {
    for (const [index, part] of parts.entries()) paramNames.set(`${place}.content[${index}]`, part.at)
  }
  return place
}
