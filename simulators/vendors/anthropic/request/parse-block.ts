import type { Json } from '../../json.ts'
import type { PromptCall } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { parseMedium } from './parse-medium.ts'
import {
  asFields,
  type Fields,
  readBoolean,
  readChoice,
  readList,
  readText,
  refuseField,
  refuseUnknownNames,
} from './read-fields.ts'
import { readMark } from './read-mark.ts'

/** One content block, as far as a model and the rules of turns care. */
export interface Block {
  readonly type: BlockType
  readonly text: string
  readonly media: readonly string[]
  readonly call: PromptCall | undefined
  /** Which call a result answers. */
  readonly callId: string | undefined
  readonly isMarked: boolean
}

const blockTypes = [
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
] as const
export type BlockType = (typeof blockTypes)[number]

const namesOf: Readonly<Record<BlockType, readonly string[]>> = {
  text: ['text', 'citations'],
  image: ['source', 'transformations'],
  document: ['source', 'title', 'context', 'citations'],
  tool_use: ['id', 'name', 'input', 'caller', 'toolset_name'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'toolset_name'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
}

/** Reads a block of one of the given types. */
export function parseBlock(value: Json, at: string, types: readonly BlockType[]): Block {
  const fields = asFields(value, at)
  const type = readChoice(fields, 'type', blockTypes)
  if (!types.includes(type)) throw refuseField(at, `\`${type}\` blocks are not permitted here`)
  refuseUnknownNames(fields, ['type', 'cache_control', ...namesOf[type]])
  const block = { type, text: '', media: [], call: undefined, callId: undefined, isMarked: readMark(fields) }
  switch (type) {
    case 'text':
      return { ...block, text: readSaid(fields) }
    case 'image':
    case 'document':
      return { ...block, media: [parseMedium(fields, type)] }
    case 'tool_use':
      return { ...block, call: readCall(fields) }
    case 'tool_result':
      return { ...block, ...readResult(fields) }
    case 'thinking':
      checkSignature(fields)
      return { ...block, text: readText(fields, 'thinking') }
    case 'redacted_thinking':
      return { ...block, text: readText(fields, 'data') }
  }
}

/** Whose it is the simulator does not tell: what says that it is foreign is refused. */
function checkSignature(fields: Fields): void {
  if (!readText(fields, 'signature').startsWith('foreign')) return
  throw refuseField(fields.at, 'Invalid `signature` in `thinking` block')
}

function readSaid(fields: Fields): string {
  const text = readText(fields, 'text')
  if (text === '') throw refuse(400, 'messages: text content blocks must be non-empty')
  if (text.trim() === '') throw refuse(400, 'messages: text content blocks must contain non-whitespace text')
  return text
}

const idPattern = /^[a-zA-Z0-9_-]+$/

function readCall(fields: Fields): PromptCall {
  const id = readText(fields, 'id')
  if (!idPattern.test(id))
    throw refuseField(`${fields.at}.id`, `String should match pattern '${idPattern.source}'`)
  const name = readText(fields, 'name')
  if (name === '' || name.length > 200)
    throw refuseField(`${fields.at}.name`, 'String should have 1 to 200 characters')
  const input = asFields(fields.values.input, `${fields.at}.input`)
  return { id, name, arguments: JSON.stringify(input.values) }
}

function readResult(fields: Fields): Pick<Block, 'text' | 'media' | 'callId'> {
  const callId = readText(fields, 'tool_use_id')
  readBoolean(fields, 'is_error')
  const { content = '' } = fields.values
  if (typeof content === 'string') return { callId, text: content, media: [] }
  const blocks = (readList(fields, 'content') ?? []).map((block, index) =>
    parseBlock(block, `${fields.at}.content.${index}`, ['text', 'image', 'document']),
  )
  return {
    callId,
    text: blocks.flatMap(block => block.text || []).join('\n'),
    media: blocks.flatMap(block => block.media),
  }
}
