import { openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { Message, ThinkingBlock, ToolCall } from '../../../schema/wire/chat.ts'
import * as wire from '../../../schema/wire/messages.ts'
import type { ParamNames } from '../param-names.ts'
import { buildParts, buildPartsOfBlock, cacheControlOf, contentOf, type PartAt } from './content.ts'

const checkResult = openCheck(wire.ToolResultBlock)
const checkCall = openCheck(wire.ToolUseBlock)
const checkThinking = openCheck(wire.ThinkingBlock)
const checkRedacted = openCheck(wire.RedactedThinkingBlock)

/** The messages that have been translated so far. */
interface Translation {
  messages: Message[]
  paramNames: ParamNames
  /** Parts of all messages, including those within tool results. */
  parts: number
}

/**
 * Translates the turns to chat messages, `system` first. Tool results become separate messages, before the rest of the
 * user's turn. Empty messages are dropped. Adds the path of each message and part in the request to `paramNames`.
 * Throws `missing_parameter` or `invalid_request`, naming the block.
 */
export function buildMessages(
  { system, messages: turns }: Pick<wire.MessagesRequest, 'system' | 'messages'>,
  paramNames: ParamNames,
): Message[] {
  refuseTooManyBlocks(turns)
  const translation: Translation = { messages: [], paramNames, parts: 0 }
  if (system) addSystem(translation, system, { path: 'system', contentPath: 'system' })
  for (const [index, { role, content }] of turns.entries()) {
    const path = `messages[${index}]`
    const paths = { path, contentPath: `${path}.content` }
    if (role === 'system') addSystem(translation, content, paths)
    else if (role === 'user') addUser(translation, content, paths)
    else addAssistant(translation, content, paths)
  }
  if (translation.messages.length > 0) return translation.messages
  throw invalidParam('messages', 'has no content that a model could answer')
}

function refuseTooManyBlocks(turns: wire.Turn[]): void {
  let blocks = 0
  for (const { content } of turns) blocks += typeof content === 'string' ? 1 : content.length
  if (blocks > wire.messagesBounds.blocks) throw tooManyBlocks()
}

function tooManyBlocks(): Problem {
  return invalidParam('messages', `must have at most ${wire.messagesBounds.blocks} content blocks in total`)
}

type Content = string | wire.Block[]
type Paths = { path: string; contentPath: string }

/**
 * A line with billing information that Claude Code sends. It differs in every request, so no prefix could be cached.
 */
const billingHeader = /^x-anthropic-billing-header:/

function addSystem(translation: Translation, content: Content, paths: Paths): void {
  const parts = buildParts(content, paths.contentPath).filter(
    ({ part }) => !('text' in part && typeof part.text === 'string' && billingHeader.test(part.text)),
  )
  if (parts.length > 0) add(translation, { role: 'system', content: contentOf(parts) }, { ...paths, parts })
}

function addUser(translation: Translation, content: Content, paths: Paths): void {
  const parts: PartAt[] = typeof content === 'string' ? buildParts(content, paths.contentPath) : []
  for (const [index, block] of typeof content === 'string' ? [] : content.entries()) {
    const path = `${paths.contentPath}[${index}]`
    if (block.type === 'tool_result') addResult(translation, block, path)
    else parts.push(...buildPartsOfBlock(block, path))
  }
  if (parts.length > 0) add(translation, { role: 'user', content: contentOf(parts) }, { ...paths, parts })
}

function addResult(translation: Translation, block: wire.Block, path: string): void {
  const { tool_use_id, content, is_error, cache_control } = checkResult(block, path)
  const contentPath = `${path}.content`
  const parts = buildParts(content ?? '', contentPath)
  const message: Message = {
    role: 'tool',
    tool_call_id: tool_use_id,
    content: parts.length > 0 ? contentOf(parts) : '',
    ...(is_error && { is_error }),
    ...cacheControlOf(cache_control),
  }
  add(translation, message, { path, contentPath, parts })
}

function addAssistant(translation: Translation, content: Content, paths: Paths): void {
  const { parts, thinking, calls } = readAssistantTurn(content, paths.contentPath)
  if (parts.length === 0 && thinking.length === 0 && calls.length === 0) return
  const message: Message = {
    role: 'assistant',
    content: parts.length > 0 ? contentOf(parts) : null,
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(({ call }) => call) }),
  }
  const param = add(translation, message, { ...paths, parts })
  for (const [index, { path }] of calls.entries()) {
    translation.paramNames.set(`${param}.tool_calls[${index}]`, path)
  }
}

interface AssistantTurn {
  parts: PartAt[]
  thinking: ThinkingBlock[]
  calls: { path: string; call: ToolCall }[]
}

/**
 * Drops blocks of other types: they belong to tools that ran at Anthropic, and no other vendor can read them. Throws
 * `unsupported_parameter` for a `compaction` block, because it replaces all earlier turns.
 */
function readAssistantTurn(content: Content, contentPath: string): AssistantTurn {
  const turn: AssistantTurn = { parts: [], thinking: [], calls: [] }
  if (typeof content === 'string') return { ...turn, parts: buildParts(content, contentPath) }
  for (const [index, block] of content.entries()) {
    const path = `${contentPath}[${index}]`
    switch (block.type) {
      case 'text':
        turn.parts.push(...buildPartsOfBlock(block, path))
        break
      case 'thinking': {
        const { thinking, signature } = checkThinking(block, path)
        turn.thinking.push({ type: 'thinking', thinking, signature: signature ?? '' })
        break
      }
      case 'redacted_thinking':
        turn.thinking.push({ type: 'redacted_thinking', data: checkRedacted(block, path).data })
        break
      case 'tool_use':
        turn.calls.push({ path, call: buildCall(block, path) })
        break
      case 'compaction':
        throw refuseCompaction(path)
    }
  }
  return turn
}

function refuseCompaction(path: string): Problem {
  const message = `${path} is a compaction block, which replaces earlier turns and which only its vendor can read. Send the turns themselves.`
  return new Problem('unsupported_parameter', { param: path, message })
}

function buildCall(block: wire.Block, path: string): ToolCall {
  const { id, name, input, cache_control } = checkCall(block, path)
  const called = { name, arguments: JSON.stringify(input ?? {}) }
  return { id, type: 'function', function: called, ...cacheControlOf(cache_control) }
}

/** Adds a message. Returns its parameter, `messages[2]`. Throws if there are too many parts. */
function add(
  translation: Translation,
  message: Message,
  { path, contentPath, parts }: Paths & { parts: PartAt[] },
): string {
  translation.parts += parts.length
  if (translation.parts > wire.messagesBounds.blocks) throw tooManyBlocks()
  const { messages, paramNames } = translation
  const param = `messages[${messages.push(message) - 1}]`
  paramNames.set(param, path).set(`${param}.content`, contentPath)
  if (Array.isArray(message.content)) {
    for (const [index, part] of parts.entries()) paramNames.set(`${param}.content[${index}]`, part.path)
  }
  return param
}
